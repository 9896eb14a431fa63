/** The piece of a turn that shows why it matched. Pure. */

import { type Passage, partsOf, VOICES, type Voice, wordsOf } from "@continuo/native/index-file";
import type { Phrase } from "./search-query.ts";

/** Texts one after the other; `match` marks the words of the query. */
export type ExcerptPiece = { readonly text: string; readonly match: boolean };

export interface Excerpt {
  readonly voice: Voice;
  readonly messageId: string;
  readonly pieces: readonly ExcerptPiece[];
}

const EXCERPT_CHARS = 240;
const BEFORE_CHARS = 60;
/** A match in the rest of a longer text counts, but no excerpt shows it. */
const MAX_LOOKED_CHARS = 200_000;
/** Most texts have all of the words early. */
const FIRST_LOOKED_CHARS = 4_000;

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Chooses the passage with most of the words; among equals, words of people come before output of tools. */
export function excerptOf(
  passages: readonly Passage[],
  phrases: readonly Phrase[],
  voices: readonly Voice[],
): Excerpt | null {
  let best: { readonly passage: Passage; readonly ranges: readonly Range[]; readonly kinds: number } | null =
    null;
  const byVoice = [...passages].sort((a, b) => VOICES.indexOf(a.voice) - VOICES.indexOf(b.voice));
  for (const passage of byVoice) {
    if (!voices.includes(passage.voice)) continue;
    const { ranges, kinds } = firstMatchesIn(passage.text.slice(0, MAX_LOOKED_CHARS), phrases);
    if (best === null || kinds > best.kinds) best = { passage, ranges, kinds };
    if (best.kinds === phrases.length) break;
  }
  if (best === null) return null;
  const { voice, messageId, text } = best.passage;
  return { voice, messageId, pieces: cutOut(text, best.ranges) };
}

/** Returns an excerpt that shows a match of a regular expression. */
export function excerptAt({ voice, messageId, text }: Passage, range: Range): Excerpt {
  return { voice, messageId, pieces: cutOut(text, [range]) };
}

interface Token extends Range {
  readonly words: readonly string[];
  readonly parts: ReadonlySet<string>;
}

interface Matches {
  readonly ranges: readonly Range[];
  /** The number of phrases that were found. */
  readonly kinds: number;
}

const NO_MATCHES: Matches = { ranges: [], kinds: 0 };

/** Returns all matches, or only the first ones if an excerpt shows no others. */
function firstMatchesIn(text: string, phrases: readonly Phrase[]): Matches {
  const start = possibleStart(text, phrases);
  if (start === null) return NO_MATCHES;
  for (let chars = FIRST_LOOKED_CHARS; start + chars < text.length; chars *= 8) {
    const end = Math.max(start, text.lastIndexOf(" ", start + chars));
    const found = matchesIn(text, { start, end }, phrases);
    const shownEnd = (found.ranges[0]?.start ?? 0) + EXCERPT_CHARS;
    // A match that begins inside of the excerpt can end after it.
    if (found.kinds === phrases.length && shownEnd + EXCERPT_CHARS < end) return found;
  }
  return matchesIn(text, { start, end: text.length }, phrases);
}

const BEYOND_ASCII = /[^\0-\x7f]/;

/**
 * The beginning of the first token that can match; `null` if none can. In a text of ASCII characters, a match differs
 * from the words of the query only in letter case. Words of other texts are folded, so the result is then 0.
 */
function possibleStart(text: string, phrases: readonly Phrase[]): number | null {
  if (BEYOND_ASCII.test(text)) return 0;
  const lower = text.toLowerCase();
  const places = phrases.map(({ words: [word = ""] }) => lower.indexOf(word)).filter((at) => at !== -1);
  return places.length === 0 ? null : text.lastIndexOf(" ", Math.min(...places)) + 1;
}

function matchesIn(text: string, range: Range, phrases: readonly Phrase[]): Matches {
  const tokens = tokensOf(text, range);
  const words = tokens.flatMap((token) => token.words.map((word) => ({ word, token })));
  const ranges: Range[] = [];
  let kinds = 0;
  for (const phrase of phrases) {
    const before = ranges.length;
    for (let at = 0; at < words.length; at++) {
      const last = words[at + phrase.words.length - 1];
      const first = words[at];
      if (first === undefined) break;
      if (last !== undefined && isAt(phrase, words, at)) {
        ranges.push({ start: first.token.start, end: last.token.end });
      } else if (first.token.parts.size > 0 && !phrase.exact && hasPart(first.token.parts, phrase)) {
        ranges.push({ start: first.token.start, end: first.token.end });
      }
    }
    if (ranges.length > before) kinds += 1;
  }
  return { ranges: ranges.sort((a, b) => a.start - b.start), kinds };
}

function isAt({ words, isPrefix }: Phrase, text: readonly { readonly word: string }[], at: number): boolean {
  return words.every((word, offset) => {
    const there = text[at + offset]?.word;
    return (
      there === word || (isPrefix === true && offset === words.length - 1 && there?.startsWith(word) === true)
    );
  });
}

function hasPart(parts: ReadonlySet<string>, { words: [word = ""], isPrefix }: Phrase): boolean {
  return parts.has(word) || (isPrefix === true && [...parts].some((part) => part.startsWith(word)));
}

const TOKEN = /[\p{L}\p{N}\p{M}]+/gu;

function tokensOf(text: string, { start, end }: Range): Token[] {
  return [...text.slice(start, end).matchAll(TOKEN)].map(({ 0: run, index }) => {
    const place = { start: start + index, end: start + index + run.length };
    // Nearly all tokens are a single word without parts.
    return PLAIN_WORD.test(run)
      ? { ...place, words: [run.toLowerCase()], parts: NO_PARTS }
      : { ...place, words: wordsOf(run), parts: partsOf(run) };
  });
}

/** At most 31 letters and digits, without a border between parts of a name. */
const PLAIN_WORD = /^[A-Z]?[a-z0-9]{0,30}$/;
const NO_PARTS: ReadonlySet<string> = new Set();

/** Returns a piece of the text that begins a little before the first match, on one line. */
function cutOut(text: string, ranges: readonly Range[]): ExcerptPiece[] {
  const start = Math.max(0, (ranges[0]?.start ?? 0) - BEFORE_CHARS);
  const end = Math.min(text.length, start + EXCERPT_CHARS);
  const pieces: ExcerptPiece[] = [];
  const add = (from: number, to: number, match: boolean): void => {
    const piece = text.slice(from, to).replace(/\s+/gu, " ");
    if (piece !== "") pieces.push({ text: piece, match });
  };
  let at = start;
  for (const range of ranges) {
    if (range.start < at || range.start >= end) continue;
    add(at, range.start, false);
    at = Math.min(range.end, end);
    add(range.start, at, true);
  }
  add(at, end, false);
  const [first] = pieces;
  if (start > 0 && first !== undefined) pieces.unshift({ text: "… ", match: false });
  if (end < text.length) pieces.push({ text: " …", match: false });
  return pieces;
}
