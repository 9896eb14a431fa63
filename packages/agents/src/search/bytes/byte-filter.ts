/**
 * Filters sessions by their bytes, before anything of them is decoded.
 *
 * A session that matches is never excluded, however its JSON writes the words. A session that is not excluded may still
 * not match: a word may be outside of any text, in another turn, or inside of a longer word. Pure.
 */

import { type BestMatch, type Phrase, quotedIn, type SearchQuery } from "../query/index.ts";
import { mayFollow, mayPrecede } from "./adjacent-words.ts";
import { type AsciiWord, createAsciiWord } from "./ascii-word.ts";
import { createFoldedWord } from "./folded-word.ts";
import { hasOtherWords } from "./unicode-word.ts";

/** Filters one session at a time. */
export interface ByteFilter {
  /** False if every session may match, because there is nothing to look for. */
  readonly isSelective: boolean;
  begin(): SessionFilter;
}

export interface SessionFilter {
  /**
   * Adds some bytes of the session; no character and no word may be divided between two pieces. Returns true if
   * everything was found already, so that further pieces change nothing.
   */
  add(bytes: Buffer, rest: "more" | "last"): boolean;
}

/** @param best if it is set, a session needs only the quoted words and any one word of `best` */
export function createByteFilter(
  { all, error, files }: SearchQuery,
  best: BestMatch | null = null,
): ByteFilter {
  const inResults = error === null || error === "any" ? [] : error;
  const wanted = best === null ? all : quotedIn(all);
  const phrases = [...wanted, ...inResults].flatMap((phrase) => needleOf(phrase) ?? []);
  if (best !== null) phrases.push(anyOf(best));
  const parts = files.flatMap((file) => needleOfPart(file) ?? []);
  // The longest words come first, because long words are usually rarer.
  const needles = [...phrases, ...parts].sort((a, b) => b.chars - a.chars);
  return {
    isSelective: needles.length > 0,
    begin() {
      let left: readonly Needle[] = needles;
      return {
        add(bytes, rest) {
          // After the last piece, a single missing word excludes the session.
          if (rest === "last") return left.every(({ isIn }) => isIn(bytes));
          left = left.filter(({ isIn }) => !isIn(bytes));
          return left.length === 0;
        },
      };
    },
  };
}

interface Needle {
  readonly chars: number;
  isIn(bytes: Buffer): boolean;
}

/** `null` if the bytes cannot exclude anything. */
function needleOf({ words, isPrefix }: Phrase): Needle | null {
  const chars = Math.max(0, ...words.map((word) => word.length));
  if (chars === 0) return null;
  if (!words.every(isAscii)) return { chars, isIn: (bytes) => hasOtherWords(bytes, words) };
  const place = words.findIndex((word) => word.length === chars);
  const anchor = words[place] ?? "";
  const word = createAsciiWord(anchor);
  const folded = createFoldedWord(anchor);
  const others = words.filter((_, at) => at !== place).map(createNeedleOfWord);
  const around = { before: words.slice(0, place).reverse(), after: words.slice(place + 1), isPrefix };
  const search = { word, size: anchor.length, others, ...around };
  return { chars, isIn: (bytes) => hasPhrase(bytes, search) || folded.isIn(bytes) };
}

function createNeedleOfWord(text: string): Needle {
  const [word, folded] = [createAsciiWord(text), createFoldedWord(text)];
  return { chars: text.length, isIn: (bytes) => word.find(bytes, 0) !== -1 || folded.isIn(bytes) };
}

function anyOf({ terms }: BestMatch): Needle {
  const needles = terms
    .filter(({ type }) => type === "word")
    .flatMap(({ forms }) => forms.flatMap(({ phrase }) => needleOf(phrase) ?? []));
  return { chars: 0, isIn: (bytes) => needles.some((needle) => needle.isIn(bytes)) };
}

/** Returns the longest part of a path that is the same however the path is written in JSON. */
function needleOfPart(text: string): Needle | null {
  const parts = text.match(/[a-z0-9]+/gu) ?? [];
  const part = parts.reduce((longest, one) => (one.length > longest.length ? one : longest), "");
  if (part === "" || !isAscii(text)) return null;
  return createNeedleOfWord(part);
}

function isAscii(word: string): boolean {
  return /^[\0-\x7f]*$/u.test(word);
}

interface PhraseSearch {
  readonly word: AsciiWord;
  readonly size: number;
  /** The nearest first. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly isPrefix: true | undefined;
  /** All words but the one that is searched for. */
  readonly others: readonly Needle[];
}

function hasPhrase(bytes: Buffer, { word, size, before, after, isPrefix, others }: PhraseSearch): boolean {
  let hasOthers: boolean | null = null;
  const mayBeJoined = (): boolean => {
    hasOthers ??= others.every(({ isIn }) => isIn(bytes));
    return hasOthers;
  };
  for (let at = word.find(bytes, 0); at !== -1; at = word.find(bytes, at + 1)) {
    const isHere =
      mayFollow(bytes, at + size, { words: after, isPrefix, mayBeJoined }) &&
      mayPrecede(bytes, at, { words: before, mayBeJoined });
    if (isHere) return true;
  }
  return false;
}
