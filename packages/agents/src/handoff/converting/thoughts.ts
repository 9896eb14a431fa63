/**
 * Finds the thoughts of the new session that the target's model receives, by the target's own model view. Pure.
 */

import { createHash } from "node:crypto";
import type { Message, ThinkingBlock } from "@continuo/core/model";
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

/** Returns a key of the thought: its words, or its seal if it has none; a hash if that is long. */
export function wordsOfThought({ text, signature, data }: ThinkingBlock): string {
  return keyOfWords(text === "" ? (signature ?? data ?? "") : text);
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
  const [sent, kept] = [countsIn(view), countsIn(history)];
  const counts = sent.thinking;
  for (const words of kept.thinking.keys()) {
    const more = (sent.text.get(words) ?? 0) - (kept.text.get(words) ?? 0);
    if (more > 0) counts.set(words, (counts.get(words) ?? 0) + more);
  }
  return counts;
}

type Counts = Readonly<Record<"thinking" | "text", Map<string, number>>>;

function countsIn(messages: readonly Message[]): Counts {
  const counts: Counts = { thinking: new Map(), text: new Map() };
  for (const { role, content } of messages) {
    if (role !== "assistant") continue;
    for (const block of content) {
      if (block.type !== "thinking" && block.type !== "text") continue;
      const words = block.type === "thinking" ? wordsOfThought(block) : keyOfWords(block.text);
      counts[block.type].set(words, (counts[block.type].get(words) ?? 0) + 1);
    }
  }
  return counts;
}
