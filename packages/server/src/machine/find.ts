/**
 * Searches one history in slices for messages with all of the words, newest first. If no message has every word, the
 * search returns the messages of turns that have every word, as a search of all sessions does. If there is no such turn
 * either, it returns the messages with one of the words.
 */

import { setImmediate as othersTurn } from "node:timers/promises";
import { type CachedHistory, HISTORY_LIMITS } from "@continuo/agents/pages";
import { type Block, type Message, typedIn } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { type FoundMessage, type SessionSearchResult, searchableText } from "@continuo/core/wire/machine";
import type { UseHistory } from "./history/index.ts";
import { MACHINE_LIMITS } from "./limits.ts";

export interface FindQuery {
  readonly words: string;
  /** Only messages before this place. */
  readonly before?: number;
  readonly limit?: number;
}

/** Other requests run between two slices. If the history is rewritten during the search, the new one is searched. */
export async function findInSession(read: UseHistory, query: FindQuery): Promise<SessionSearchResult> {
  const words = wordsOf(query.words);
  const { before, limit = MACHINE_LIMITS.foundMessages } = query;
  const { found, next } = await findEvery(read, words, { end: before ?? Number.MAX_SAFE_INTEGER, limit });
  if (found.length > 0 || before !== undefined || words.length < 2) {
    return { found, match: "message", next, leftOut: 0 };
  }
  return await findSome(read, words, limit);
}

function wordsOf(text: string): readonly string[] {
  const words = searchableText(text).split(/\s+/u);
  return [...new Set(words)].filter((word) => word !== "").slice(0, MACHINE_LIMITS.findWords);
}

interface Slice {
  readonly end: number;
  readonly limit: number;
}

/** The messages with every word before the place `end`. */
async function findEvery(
  read: UseHistory,
  words: readonly string[],
  { end: before, limit }: Slice,
): Promise<Pick<SessionSearchResult, "found" | "next">> {
  const found: FoundMessage[] = [];
  let end = before;
  while (words.length > 0 && end > 0 && found.length < limit) {
    end = await read(({ kept }) =>
      eachBefore(kept, end, (index) => {
        if (!words.every(wordIn(kept.textAt(index)))) return true;
        const texts = textsAt(kept, index);
        if (words.every((word) => hasWord(texts, word))) found.push(toFound(kept, index, { texts, words }));
        return found.length < limit;
      }),
    );
    await othersTurn();
  }
  return { found, next: end > 0 && found.length >= limit ? end : null };
}

/**
 * Returns the newest messages that have one of the words: those in turns that have every word, or all of them if there
 * is no such turn.
 */
async function findSome(
  read: UseHistory,
  words: readonly string[],
  limit: number,
): Promise<SessionSearchResult> {
  const places: { readonly index: number; readonly turn: number }[] = [];
  const wordsOfTurns = new Map<number, Set<string>>();
  for (let end = Number.MAX_SAFE_INTEGER; end > 0; ) {
    end = await read(({ kept }) =>
      eachBefore(kept, end, (index) => {
        if (!words.some(wordIn(kept.textAt(index)))) return true;
        const texts = textsAt(kept, index);
        const has = words.filter((word) => hasWord(texts, word));
        const turn = kept.turnAt(index);
        if (has.length > 0) places.push({ index, turn });
        wordsOfTurns.set(turn, new Set([...(wordsOfTurns.get(turn) ?? []), ...has]));
        return true;
      }),
    );
    await othersTurn();
  }
  const inTurns = places.filter(({ turn }) => wordsOfTurns.get(turn)?.size === words.length);
  const matches = inTurns.length > 0 ? inTurns : places;
  const shown = matches.slice(0, limit);
  const found = await read(({ kept }) =>
    shown.flatMap(({ index }) =>
      index < kept.length ? [toFound(kept, index, { texts: textsAt(kept, index), words })] : [],
    ),
  );
  const match = inTurns.length > 0 ? "turn" : "word";
  return { found, match, next: null, leftOut: matches.length - shown.length };
}

/**
 * Calls for each place before `end`, backwards, until the time of a slice is over or the callback returns false.
 * @returns the place before which the next slice continues
 */
function eachBefore(kept: CachedHistory, end: number, use: (index: number) => boolean): number {
  const began = performance.now();
  let index = Math.min(end, kept.length);
  while (index > 0) {
    index -= 1;
    if (!use(index) || performance.now() - began >= HISTORY_LIMITS.sliceMs) break;
  }
  return index;
}

/**
 * The returned function is false only if the JSON of the message cannot have the word. In JSON, a word with a quote or
 * a backslash looks different.
 */
function wordIn(json: string): (word: string) => boolean {
  const text = searchableText(json);
  return (word) => /["\\]/u.test(word) || text.includes(word);
}

interface TextToSearch {
  readonly text: string;
  readonly searchable: string;
}

function textsAt(kept: CachedHistory, index: number): readonly TextToSearch[] {
  return textsOf(kept.messageAt(index)).map((text) => ({ text, searchable: searchableText(text) }));
}

function hasWord(texts: readonly TextToSearch[], word: string): boolean {
  return texts.some(({ searchable }) => searchable.includes(word));
}

function toFound(
  kept: CachedHistory,
  index: number,
  { texts, words }: { readonly texts: readonly TextToSearch[]; readonly words: readonly string[] },
): FoundMessage {
  const { id, timestamp = null } = kept.messageAt(index);
  return {
    messageId: id,
    index,
    turn: kept.turnAt(index) + 1,
    at: timestamp,
    excerpt: excerptOf(texts, words),
  };
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

/** The text around the first word of the message, in which each word is marked. */
function excerptOf(texts: readonly TextToSearch[], words: readonly string[]): FoundMessage["excerpt"] {
  const first = words.find((word) => hasWord(texts, word)) ?? "";
  const { text = "", searchable = "" } = texts.find((one) => one.searchable.includes(first)) ?? {};
  const at = searchable.indexOf(first);
  const [start, end] = [Math.max(0, at - AROUND), at + first.length + AROUND];
  const pieces: { readonly text: string; readonly isMatch: boolean }[] = [];
  let done = start;
  for (const mark of marksIn(searchable.slice(0, end), words, start)) {
    pieces.push({ text: shown(text.slice(done, mark.start)), isMatch: false });
    pieces.push({ text: shown(text.slice(mark.start, mark.end)), isMatch: true });
    done = mark.end;
  }
  pieces.push({ text: shown(text.slice(done, end)), isMatch: false });
  return pieces.filter((piece) => piece.text !== "");
}

/** The places of the words from `start` on, in order; of two words at one place, the longer one. */
function* marksIn(
  text: string,
  words: readonly string[],
  start: number,
): Generator<{ readonly start: number; readonly end: number }> {
  const longestFirst = words.toSorted((a, b) => b.length - a.length);
  for (let at = start; at < text.length; at++) {
    const word = longestFirst.find((one) => text.startsWith(one, at));
    if (word === undefined) continue;
    yield { start: at, end: at + word.length };
    at += word.length - 1;
  }
}

function shown(text: string): string {
  return visibleLine(text.replace(/\s+/gu, " "));
}
