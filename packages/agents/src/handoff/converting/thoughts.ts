/**
 * Finds the thoughts of the new session that the target's model receives, by the target's own model view. Pure.
 */

import { createHash } from "node:crypto";
import type { Block, Message, ThinkingBlock } from "@continuo/core/model";
import type { ReceiptRecord } from "./receipt.ts";

/** A thought that is in the new session, and its line on the receipt. */
export interface Thought {
  readonly record: ReceiptRecord;
  /** The key of `wordsOfThought`. */
  readonly words: string;
}

/** The messages that the agent keeps, and the part that it would send. */
export interface HistoryWithView {
  readonly history: readonly Message[];
  readonly view: readonly Message[];
}

/** Returns a key of the thought: its words, or its seal if it has no words; a hash of them if they are long. */
export function wordsOfThought(block: ThinkingBlock): string {
  return keyOfWords(wordsIn(block));
}

function wordsIn({ text, signature, data }: ThinkingBlock): string {
  return text === "" ? (signature ?? data ?? "") : text;
}

const SHORT_CHARS = 64;

function keyOfWords(words: string): string {
  return words.length <= SHORT_CHARS ? words : createHash("sha256").update(words, "utf16le").digest("base64");
}

const UNSENT = "kept in the session; the target does not send it to its model";

/**
 * Returns the receipt's lines. Each thought that the target's model does not receive is `noted`, even a thought of the
 * target itself.
 */
export function withUnsentThoughts(
  records: readonly ReceiptRecord[],
  thoughts: readonly Thought[],
  now: HistoryWithView,
): ReceiptRecord[] {
  if (thoughts.length === 0) return [...records];
  const sent = countSent(now);
  const unsent = new Set<ReceiptRecord>();
  for (const { record, words } of thoughts) if (!takeOne(sent, words)) unsent.add(record);
  return records.map((record) =>
    unsent.has(record) ? { ...record, outcome: "noted", reason: UNSENT } : record,
  );
}

function takeOne(counts: Map<string, number>, words: string): boolean {
  const count = counts.get(words) ?? 0;
  counts.set(words, count - 1);
  return count > 0;
}

/**
 * Counts the sent thoughts: as thinking, or as texts that are not in the session itself, because an agent may send
 * those instead of thinking.
 */
function countSent({ history, view }: HistoryWithView): Map<string, number> {
  const lengths = new Set<number>();
  const kept = countThinking(history, lengths);
  const counts = countThinking(view, lengths);
  const keptTexts = countTexts(history, lengths);
  for (const [words, texts] of countTexts(view, lengths)) {
    const more = texts - (keptTexts.get(words) ?? 0);
    if (kept.has(words) && more > 0) counts.set(words, (counts.get(words) ?? 0) + more);
  }
  return counts;
}

type Counts = Map<string, number>;

/** @param lengths receives the lengths of the words */
function countThinking(messages: readonly Message[], lengths: Set<number>): Counts {
  const counts: Counts = new Map();
  for (const block of answersIn(messages)) {
    if (block.type !== "thinking") continue;
    const words = wordsIn(block);
    lengths.add(words.length);
    addOne(counts, keyOfWords(words));
  }
  return counts;
}

/** Counts only texts that are as long as a thought, because keys of all texts would hash the whole conversation. */
function countTexts(messages: readonly Message[], lengths: ReadonlySet<number>): Counts {
  const counts: Counts = new Map();
  if (lengths.size === 0) return counts;
  for (const block of answersIn(messages)) {
    if (block.type === "text" && lengths.has(block.text.length)) addOne(counts, keyOfWords(block.text));
  }
  return counts;
}

function* answersIn(messages: readonly Message[]): Generator<Block, void, void> {
  for (const { role, content } of messages) if (role === "assistant") yield* content;
}

function addOne(counts: Counts, words: string): void {
  counts.set(words, (counts.get(words) ?? 0) + 1);
}
