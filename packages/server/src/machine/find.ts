/** Searches one history for messages with all of the words, newest first, in slices. */

import { setImmediate as othersTurn } from "node:timers/promises";
import { type CachedHistory, HISTORY_LIMITS } from "@continuo/agents/pages";
import { type Block, type Message, typedIn } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import type { FoundMessage, SessionSearchResult } from "@continuo/core/wire/machine";
import type { UseHistory } from "./history/index.ts";
import { MACHINE_LIMITS } from "./limits.ts";

export interface FindQuery {
  readonly words: string;
  /** Only messages before this place. */
  readonly before?: number;
  readonly limit?: number;
}

/** Other requests run between two slices. If the history is rewritten during the search, the new one is searched. */
export async function findInSession(
  read: UseHistory,
  { words, before, limit = MACHINE_LIMITS.foundMessages }: FindQuery,
): Promise<SessionSearchResult> {
  const wanted = wordsOf(words);
  const found: FoundMessage[] = [];
  let end = before ?? Number.MAX_SAFE_INTEGER;
  while (wanted.length > 0 && end > 0 && found.length < limit) {
    const slice = await read(({ kept }) => findBefore(kept, wanted, { end, limit: limit - found.length }));
    found.push(...slice.found);
    end = slice.end;
    await othersTurn();
  }
  return { found, next: end > 0 && found.length >= limit ? end : null };
}

function wordsOf(text: string): readonly string[] {
  const words = text.toLowerCase().split(/\s+/u);
  return [...new Set(words)].filter((word) => word !== "").slice(0, MACHINE_LIMITS.findWords);
}

interface Slice {
  readonly found: readonly FoundMessage[];
  /** The place before which the search continues. */
  readonly end: number;
}

function findBefore(
  kept: CachedHistory,
  words: readonly string[],
  { end, limit }: { readonly end: number; readonly limit: number },
): Slice {
  const found: FoundMessage[] = [];
  const began = performance.now();
  let index = Math.min(end, kept.length);
  while (index > 0 && found.length < limit && performance.now() - began < HISTORY_LIMITS.sliceMs) {
    index -= 1;
    if (!mayHold(kept.textAt(index), words)) continue;
    const message = kept.messageAt(index);
    const excerpt = excerptOf(textsOf(message), words);
    if (excerpt === null) continue;
    const turn = kept.turnAt(index) + 1;
    found.push({ messageId: message.id, index, turn, at: message.timestamp ?? null, excerpt });
  }
  return { found, end: index };
}

/**
 * Returns false only if the JSON of the message cannot have the words. In JSON, a word with a quote or a backslash
 * looks different.
 */
function mayHold(json: string, words: readonly string[]): boolean {
  const text = json.toLowerCase();
  return words.every((word) => /["\\]/u.test(word) || text.includes(word));
}

/** The texts of a message that a reader can see. */
function textsOf({ content }: Message): readonly string[] {
  return content.flatMap((block) => textsOfBlock(block));
}

function textsOfBlock(block: Block): readonly string[] {
  switch (block.type) {
    case "text":
      return [typedIn(block)];
    case "thinking":
      return [block.text];
    case "tool_call":
      return [block.name, block.rawArgs ?? "", ...textsIn(block.args)];
    case "tool_result":
      return block.content.flatMap((each) => textsOfBlock(each));
    case "file":
      return [block.name ?? "", block.text ?? ""];
    default:
      return [];
  }
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

const AROUND = 60;

/** The text around the first word; `null` if a word is missing. */
function excerptOf(texts: readonly string[], words: readonly string[]): FoundMessage["excerpt"] | null {
  const folded = texts.map((text) => text.toLowerCase());
  if (!words.every((word) => folded.some((text) => text.includes(word)))) return null;
  const [word = ""] = words;
  const at = folded.findIndex((text) => text.includes(word));
  const [text = "", lower = ""] = [texts[at], folded[at]];
  const start = lower.indexOf(word);
  // Case folding can change the length of a text: then no place is marked.
  if (lower.length !== text.length) return [{ text: shown(text.slice(0, 2 * AROUND)), isMatch: false }];
  const end = start + word.length;
  const pieces = [
    { text: shown(text.slice(Math.max(0, start - AROUND), start)), isMatch: false },
    { text: shown(text.slice(start, end)), isMatch: true },
    { text: shown(text.slice(end, end + AROUND)), isMatch: false },
  ];
  return pieces.filter((piece) => piece.text !== "");
}

function shown(text: string): string {
  return visibleLine(text.replace(/\s+/gu, " "));
}
