/**
 * Estimates how likely it is that a clause ends between two words of captions without punctuation, from the pause
 * between them and from the words. Pure.
 */

import { type ClauseWords, clauseWords } from "./clause-words.ts";
import { LIMITS } from "./limits.ts";
import { unitsOf } from "./pieces.ts";
import type { TimedWord } from "./types.ts";

/**
 * The scores of places between words are the logarithms of the odds that a clause ends there. They were found by
 * logistic regression on the talks in `test/live/captions/` that are not held out.
 */
const SCORES = {
  place: -3.5,
  /** The weight of each range of pauses, for its whole length. */
  pauses: [
    { fromMs: 0, toMs: 300, score: 5 },
    { fromMs: 300, toMs: 700, score: 3 },
    { fromMs: 700, toMs: 1_700, score: 1 },
    { fromMs: 1_700, toMs: 2_700, score: 2 },
  ],
  /** The share of a pause that counts if the pause is only estimated. */
  estimated: 0.8,
  hanging: -3.5,
  seldomLast: -1.5,
  neverFirst: -1.3,
  opening: 2,
  determiner: 1.2,
  joiningClauses: 3.2,
  joiningWords: 0.5,
  joiningLetter: 2,
  /** The weight of each unit by which a sentence is shorter than usual, and of a sentence that is hardly a clause. */
  shorter: -0.25,
  short: -1.5,
};

/** A number mostly belongs to the noun that follows. */
const NUMBER = /^\p{N}+$/u;

/** A sentence ends if the score is at least this. */
export const SURE = 1.5;

export interface TimedText {
  readonly words: readonly TimedWord[];
  /** The times at which each word begins and ends, as far as they are known. */
  readonly times: readonly WordTimes[];
  readonly lang: string;
}

export interface WordTimes {
  readonly startMs: number;
  readonly endMs: number;
}

/** Returns the score of the place before the word `at`; `null` while it depends on a word that was not heard yet. */
export function clauseScore({ words, times, lang }: TimedText, at: number): number | null {
  const [before, next] = [words[at - 1], words[at]] as [TimedWord, TimedWord];
  const pauseMs = (times[at]?.startMs ?? 0) - (times[at - 1]?.endMs ?? 0);
  const facts = clauseWords(lang);
  const [last, first, second] = [before, next, words[at + 1]].map((word) => functionWordOf(word?.t ?? ""));
  const isOpen = facts.joining.has(first ?? "") || facts.objects?.has(first ?? "") === true;
  if (isOpen && words[at + 1] === undefined) return null;
  return (
    SCORES.place +
    pauseScore(pauseMs) * (next.e > next.s ? 1 : SCORES.estimated) +
    lastScore(facts, last ?? "") +
    firstScore(facts, first ?? "", second ?? "") +
    shortScore(unitsBefore(words, at))
  );
}

/**
 * A pause of the video counts only as much as a short pause of the speaker, because people seldom pause at the end of a
 * sentence.
 */
const STOP_MS = 700;

/** Returns the score of the place after the last word, if the video was paused there and no word follows. */
export function stopScore({ words, lang }: Pick<TimedText, "words" | "lang">): number {
  const last = functionWordOf(words.at(-1)?.t ?? "");
  return (
    SCORES.place +
    pauseScore(STOP_MS) +
    lastScore(clauseWords(lang), last) +
    shortScore(unitsBefore(words, words.length))
  );
}

/** Keeps the apostrophe of the word, as in `she's`. */
function functionWordOf(word: string): string {
  return word
    .toLowerCase()
    .replaceAll("’", "'")
    .replace(/[^\p{L}\p{N}']+/gu, "");
}

function pauseScore(pauseMs: number): number {
  return SCORES.pauses.reduce((sum, { fromMs, toMs, score }) => {
    const share = (Math.min(pauseMs, toMs) - fromMs) / (toMs - fromMs);
    return sum + score * Math.max(0, share);
  }, 0);
}

function lastScore({ hanging, seldomLast }: ClauseWords, last: string): number {
  if (hanging.has(last)) return SCORES.hanging;
  return seldomLast.has(last) || NUMBER.test(last) ? SCORES.seldomLast : 0;
}

function firstScore(facts: ClauseWords, first: string, second: string): number {
  const { neverFirst, opening, objects, afterObject, determiners, joining, joiningLetter } = facts;
  if (neverFirst.has(first)) return SCORES.neverFirst;
  if (objects?.has(first) === true && afterObject?.has(second) === true) return SCORES.neverFirst;
  if (joining.has(first)) {
    return opening.has(second) || determiners.has(second) ? SCORES.joiningClauses : SCORES.joiningWords;
  }
  if (opening.has(first)) return SCORES.opening;
  if (determiners.has(first)) return SCORES.determiner;
  return joiningLetter?.test(first) === true ? SCORES.joiningLetter : 0;
}

function unitsBefore(words: readonly TimedWord[], at: number): number {
  let units = 0;
  for (let n = at - 1; n >= 0 && units < LIMITS.usualUnits; n--) units += unitsOf(words[n]?.t ?? "");
  return units;
}

function shortScore(units: number): number {
  const missing = Math.max(0, LIMITS.usualUnits - units);
  return missing * SCORES.shorter + (units < LIMITS.fewestUnits ? SCORES.short : 0);
}

/**
 * Returns the times of each word. They are estimated for words that a page draws: such a word is seen when the page is
 * examined, so it began after the previous examination.
 */
export function timesOf(words: readonly TimedWord[]): readonly WordTimes[] {
  const lookMs = lookOf(words);
  const lengths = words.map(({ t }) => LIMITS.wordMs + t.length * LIMITS.letterMs);
  const earliest: number[] = [];
  const latest: number[] = [];
  for (const [n, { s }] of words.entries()) {
    const after = n === 0 ? s - lookMs : (earliest[n - 1] ?? s) + (lengths[n - 1] ?? 0);
    earliest.push(Math.min(s, Math.max(s - lookMs, after)));
  }
  for (let n = words.length - 1; n >= 0; n--) {
    const s = words[n]?.s ?? 0;
    const isSameLook = words[n + 1]?.s === s;
    latest[n] = isSameLook ? Math.max(earliest[n] ?? s, (latest[n + 1] ?? s) - (lengths[n] ?? 0)) : s;
  }
  return words.map(({ s, e }, n) => {
    if (e > s) return { startMs: s, endMs: e };
    const startMs = ((earliest[n] ?? s) + (latest[n] ?? s)) / 2;
    return { startMs, endMs: startMs + (lengths[n] ?? 0) };
  });
}

/**
 * Words that follow each other quickly are seen with each change of the page; other words are perhaps seen less often.
 */
function lookOf(words: readonly TimedWord[]): number {
  const isFollowed = words.some(({ s }, n) => {
    const gapMs = s - (words[n - 1]?.s ?? s);
    return gapMs > 0 && gapMs < LIMITS.quickGapMs;
  });
  return isFollowed ? LIMITS.followedMs : LIMITS.pollMs;
}
