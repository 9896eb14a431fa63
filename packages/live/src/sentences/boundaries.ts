/** The ends of sentences: at punctuation, pauses and seeks; and the cut of a sentence without an end. */

import { segmenterOfSentences } from "./content-words.ts";
import { languageFacts } from "./languages.ts";
import { LIMITS } from "./limits.ts";
import { plainWord, unitsOf } from "./pieces.ts";
import type { TimedWord } from "./types.ts";

const ENDS = /[.!?…。！？؟۔।](?:["'”’»）)\]」』]*)$/u;
const COMMAS = /[,;:、，；：،؛—–]["'”’»）)」』]*$/u;
const ABBREVIATION =
  /^(?:mr|mrs|ms|dr|prof|st|no|vs|etc|e\.g|i\.e|approx|inc|jr|sr|u\.s|u\.k|z\.b|d\.h|bzw|usw|ca|nr|str|u\.a|p|pp|\p{L}|(?:\p{L}\.)+\p{L})\.$/iu;
const ORDINAL = /^\d{1,2}\.$/u;

export function hasPunctuation(word: string): boolean {
  return ENDS.test(word) || COMMAS.test(word);
}

/** True if a sentence ends between two words, by the rules of Unicode and some abbreviations. */
export function isSentenceEnd(before: string, next: string, lang: string): boolean {
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
}

/**
 * The number of words of the first sentence in `words`, or `null` while it is open. Words are only looked at from left
 * to right, so that the result does not depend on how many came at once. `from`: earlier places are known to be none.
 */
export function firstEnd(words: readonly TimedWord[], cutting: CutOptions, from: number): number | null {
  let units = 0;
  const most = cutting.isPlain ? LIMITS.mostUnits : LIMITS.mostPunctuatedUnits;
  for (let n = 1; n < words.length; n++) {
    const [before, next] = [words[n - 1], words[n]] as [TimedWord, TimedWord];
    units += unitsOf(before.t);
    if (n < from) continue;
    if (isSeek(before, next) || next.n === 1 || isSentenceEnd(before.t, next.t, cutting.lang)) return n;
    if (isPause(words, n, { ...cutting, units })) return n;
    if (units > most) return bestCut(words.slice(0, n), cutting);
  }
  return null;
}

function isSeek(before: TimedWord, next: TimedWord): boolean {
  return next.s < before.s - LIMITS.backMs || next.s - before.e > LIMITS.skipMs;
}

/** The pause before a word. */
export function pauseBefore(before: TimedWord, next: TimedWord): number {
  return next.s - endOf(before);
}

/** Words that a page draws have no end: their length is estimated. */
export function endOf({ t, s, e }: TimedWord): number {
  return e > s ? e : s + t.length * LIMITS.charMs;
}

/** Without punctuation, a clause that goes on needs a longer pause, and so does one that has begun with `if`. */
function isPause(
  words: readonly TimedWord[],
  at: number,
  { isPlain, lang, units }: CutOptions & { readonly units: number },
): boolean {
  const [before, next] = [words[at - 1], words[at]] as [TimedWord, TimedWord];
  const pauseMs = pauseBefore(before, next);
  if (!isPlain) return pauseMs >= LIMITS.pauseMs;
  const { hanging, starters, subordinate } = languageFacts(lang);
  const isHanging = hanging.has(plainWord(before.t)) || units < LIMITS.fewestUnits;
  if (isHanging) return pauseMs >= LIMITS.hangingPauseMs;
  const isOpened = subordinate.has(plainWord(words[0]?.t ?? "")) && units < LIMITS.openedUnits;
  const goesOn = starters.has(plainWord(next.t));
  return pauseMs >= LIMITS.plainPauseMs + (isOpened ? LIMITS.clauseMs : 0) + (goesOn ? LIMITS.clauseMs : 0);
}

/** The best place to cut a sentence that has become too long: a comma, a word that begins a clause, a pause. */
function bestCut(words: readonly TimedWord[], { lang }: CutOptions): number {
  const { hanging, starters } = languageFacts(lang);
  let best = { at: words.length, score: Number.NEGATIVE_INFINITY };
  for (let at = Math.ceil(words.length / 5); at < words.length; at++) {
    const [before, next] = [words[at - 1], words[at]] as [TimedWord, TimedWord];
    const score =
      pauseBefore(before, next) / 500 +
      (COMMAS.test(before.t) ? 2 : 0) +
      (starters.has(plainWord(next.t)) ? 1.5 : 0) -
      (hanging.has(plainWord(before.t)) ? 3 : 0);
    if (score > best.score) best = { at, score };
  }
  return best.at;
}
