/** The ends of sentences: at punctuation, pauses and seeks; and where a sentence without an end is cut. */

import { clauseScore, type TimedText, timesOf } from "./clauses.ts";
import { segmenterOfSentences } from "./content-words.ts";
import { LIMITS } from "./limits.ts";
import { unitsOf } from "./pieces.ts";
import type { TimedWord } from "./types.ts";

const ENDS = /[.!?…。！？؟۔।](?:["'”’»）)\]」』]*)$/u;
const COMMAS = /[,;:、，；：،؛—–]["'”’»）)」』]*$/u;
const ABBREVIATION =
  /^(?:mr|mrs|ms|dr|prof|st|no|vs|etc|e\.g|i\.e|approx|inc|jr|sr|u\.s|u\.k|z\.b|d\.h|bzw|usw|ca|nr|str|u\.a|p|pp|\p{L}|(?:\p{L}\.)+\p{L})\.$/iu;
/** A comma makes the end of a clause more likely than a pause can. */
const COMMA_SCORE = 8;
const ORDINAL = /^\d{1,2}\.$/u;

export function hasPunctuation(word: string): boolean {
  return ENDS.test(word) || COMMAS.test(word);
}

/** True if a sentence ends between two words, by the rules of Unicode and some abbreviations. */
function isSentenceEnd(before: string, next: string, lang: string): boolean {
  if (!ENDS.test(before)) return false;
  if (ABBREVIATION.test(before) || (ORDINAL.test(before) && /^de/u.test(lang))) return false;
  const space = /[。！？]["'”’»）)」』]*$/u.test(before) ? "" : " ";
  const text = `${before}${space}${next}`;
  const [first] = segmenterOfSentences(lang).segment(text);
  return first !== undefined && first.segment.length < text.length;
}

/** True if the last word ends a sentence when nothing follows it. */
export function isClosed(word: string): boolean {
  return ENDS.test(word) && !ABBREVIATION.test(word);
}

export interface CutOptions {
  readonly lang: string;
  /** True if the stream has no punctuation. */
  readonly isPlain: boolean;
  /** A sentence without punctuation ends if the score is at least this. */
  readonly sure: number;
}

/** The end of the first sentence of `words`. */
export interface SentenceEnd {
  /** The number of its words. */
  readonly at: number;
  /** True if the sentence was cut because it became too long. */
  readonly isCut: boolean;
  /** True if the end is a guess, because the times of the words there are not known. */
  readonly isGuess?: boolean;
  /** True if another person begins to speak within it. */
  readonly isBroken?: boolean;
}

/**
 * The end of the first sentence in `words`, or `null` while it is open. The words are read only from left to right, so
 * that the result does not depend on how many arrived together. `from`: no place before it is an end.
 */
export function firstEnd(
  words: readonly TimedWord[],
  { lang, isPlain, sure }: CutOptions,
  from: number,
): SentenceEnd | null {
  let units = 0;
  const most = isPlain ? LIMITS.mostUnits : LIMITS.mostPunctuatedUnits;
  for (let n = 1; n < words.length; n++) {
    const [before, next] = [words[n - 1], words[n]] as [TimedWord, TimedWord];
    units += unitsOf(before.t);
    if (n < from) continue;
    // Later words must not count, because they may be in another piece.
    const heard = words.slice(0, n + 1);
    const place: TimedText = { words: heard, times: timesOf(heard), lang };
    if (isPlain && n > 1 && isJoined(place, n - 1, sure)) return endAt(place, n - 1, sure);
    const isEnd = isSeek(before, next) || isSentenceEnd(before.t, next.t, lang);
    if (isEnd || next.n === 1) {
      const isBroken = !isEnd && !isPlain && !isClosed(before.t);
      return { at: n, isCut: false, ...(isBroken ? { isBroken } : {}) };
    }
    if (isPause(place, n, isPlain ? sure : null))
      return isPlain ? endAt(place, n, sure) : { at: n, isCut: false };
    if (units > most) return { at: bestCut({ ...place, words: words.slice(0, n) }), isCut: true };
  }
  return null;
}

/** An end between drawn words is a guess if its score is hardly more than necessary. */
function endAt(place: TimedText, at: number, sure: number): SentenceEnd {
  const isTimed = (place.words[at]?.e ?? 0) > (place.words[at]?.s ?? 0);
  const isGuess = !isTimed && (clauseScore(place, at) ?? 0) < scoreOfEnd(place, at, sure) + LIMITS.guessScore;
  return { at, isCut: false, ...(isGuess ? { isGuess } : {}) };
}

/** A place before a conjunction is judged only when the word after the conjunction is known. */
function isJoined(place: TimedText, at: number, sure: number): boolean {
  const before = { ...place, words: place.words.slice(0, at + 1) };
  return clauseScore(before, at) === null && (clauseScore(place, at) ?? 0) >= scoreOfEnd(place, at, sure);
}

/** The longer a pause is, the less other evidence an end needs, even if the speaker's sentences are short. */
function scoreOfEnd({ times }: TimedText, at: number, sure: number): number {
  const pauseMs = (times[at]?.startMs ?? 0) - (times[at - 1]?.endMs ?? 0);
  const beyondMs = pauseMs - LIMITS.longPauseMs;
  return beyondMs < 0 ? sure : Math.min(sure, LIMITS.longPauseScore - beyondMs / LIMITS.longPauseStepMs);
}

function isSeek(before: TimedWord, next: TimedWord): boolean {
  return next.s < before.s - LIMITS.backMs || next.s - before.e > LIMITS.skipMs;
}

export function pauseBefore(before: TimedWord, next: TimedWord): number {
  return next.s - endOf(before);
}

/** Words that a page draws have no end: their length is estimated. */
export function endOf({ t, s, e }: TimedWord): number {
  return e > s ? e : s + t.length * LIMITS.charMs;
}

/** In captions with punctuation, only a long pause ends a sentence that has no punctuation at its end. */
function isPause(place: TimedText, at: number, sure: number | null): boolean {
  const [before, next] = [place.words[at - 1], place.words[at]] as [TimedWord, TimedWord];
  if (sure === null) return pauseBefore(before, next) >= LIMITS.pauseMs;
  return (clauseScore(place, at) ?? 0) >= scoreOfEnd(place, at, sure);
}

/** The best place to cut a sentence that has become too long: a comma, or the most likely end of a clause. */
function bestCut(place: TimedText): number {
  const { words } = place;
  let best = { at: words.length, score: Number.NEGATIVE_INFINITY };
  for (let at = Math.ceil(words.length / 5); at < words.length; at++) {
    const isComma = COMMAS.test(words[at - 1]?.t ?? "");
    const score = (clauseScore(place, at) ?? 0) + (isComma ? COMMA_SCORE : 0);
    if (score > best.score) best = { at, score };
  }
  return best.at;
}
