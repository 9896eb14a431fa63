/** Finds the beginnings of chapters: at a change of words, at a pause, or at a mark of the speaker. Pure. */

import { isDiscourseMark, isFiller, type Sentence } from "../sentences/index.ts";
import { OUTLINE_LIMITS as LIMITS } from "./limits.ts";

/** A sentence with the words by which its subject is known. */
export interface KnownSentence {
  readonly sentence: Sentence;
  readonly terms: readonly string[];
}

/** Divides sentences into chapters. The order stays, and each sentence is in one chapter. */
export function chaptersIn(known: readonly KnownSentence[]): readonly (readonly KnownSentence[])[] {
  const first = known[0]?.sentence.startMs ?? 0;
  const lengthMs = endOf(known) - first;
  const wanted = Math.min(
    LIMITS.mostChapters,
    Math.max(1, Math.round(LIMITS.chaptersPerRoot * Math.sqrt(lengthMs / 60_000))),
  );
  const apartMs = Math.max(LIMITS.shortestChapterMs, (lengthMs / wanted) * LIMITS.shortestShare);
  const scores = beginScores(known);
  const order = scores
    .map((score, at) => ({ score, at }))
    .toSorted((a, b) => b.score - a.score || a.at - b.at);
  const begins: number[] = [0];
  for (const { score, at } of order) {
    if (begins.length >= wanted || score < LIMITS.beginScore) break;
    const startMs = known[at]?.sentence.startMs ?? 0;
    const isFar = begins.every(
      (other) => Math.abs((known[other]?.sentence.startMs ?? 0) - startMs) >= apartMs,
    );
    if (at > 0 && isFar && endOf(known) - startMs >= apartMs) begins.push(at);
  }
  const sorted = begins.toSorted((a, b) => a - b);
  return sorted.map((at, n) => known.slice(at, sorted[n + 1]));
}

function endOf(known: readonly KnownSentence[]): number {
  return Math.max(0, ...known.slice(-20).map(({ sentence }) => sentence.endMs));
}

/** Returns a score for each sentence: the higher it is, the more likely a chapter begins there. */
function beginScores(known: readonly KnownSentence[]): readonly number[] {
  const cohesion = known.map((_, at) => (at === 0 ? 1 : likenessAt(known, at)));
  return known.map(({ sentence }, at) => {
    const before = known[at - 1]?.sentence;
    if (before === undefined) return 0;
    const pauseMs = sentence.startMs - before.endMs;
    return (
      depthAt(cohesion, at) +
      Math.max(0, Math.min(0.35, (pauseMs - 600) / 5_000)) +
      (isDiscourseMark(sentence.text, sentence.lang) ? 0.15 : 0) +
      (before.kind === "sound" ? 0.25 : 0) +
      (isFiller(sentence.text, sentence.lang) && !isFiller(before.text, before.lang) ? -0.2 : 0) +
      (isFiller(before.text, before.lang) && !isFiller(sentence.text, sentence.lang) ? 0.15 : 0)
    );
  });
}

/** Returns how far the similarity falls below its peaks on both sides, added together, as in TextTiling. */
function depthAt(cohesion: readonly number[], at: number): number {
  const here = cohesion[at] ?? 0;
  return peakFrom(cohesion, at, -1) + peakFrom(cohesion, at, 1) - 2 * here;
}

function peakFrom(cohesion: readonly number[], at: number, step: 1 | -1): number {
  let peak = cohesion[at] ?? 0;
  for (let n = at + step; n > 0 && n < cohesion.length; n += step) {
    const next = cohesion[n] ?? 0;
    if (next < peak) break;
    peak = next;
  }
  return peak;
}

/** The cosine of the words before and after a place; words of many sentences count less. */
function likenessAt(known: readonly KnownSentence[], at: number): number {
  const before = countsOf(nearest(known.slice(Math.max(0, at - LIMITS.comparedSentences), at).reverse()));
  const after = countsOf(nearest(known.slice(at, at + LIMITS.comparedSentences)));
  let product = 0;
  for (const [term, count] of before) product += count * (after.get(term) ?? 0);
  const size = normOf(before) * normOf(after);
  return size === 0 ? 0 : product / size;
}

/** Takes sentences until they have enough words: without punctuation, sentences are long. */
function nearest(sentences: readonly KnownSentence[]): readonly KnownSentence[] {
  let terms = 0;
  const enough = sentences.findIndex((one) => {
    terms += one.terms.length;
    return terms >= LIMITS.comparedTerms;
  });
  return enough < 0 ? sentences : sentences.slice(0, Math.max(2, enough + 1));
}

function countsOf(known: readonly KnownSentence[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { terms } of known) for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

function normOf(counts: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const count of counts.values()) sum += count * count;
  return Math.sqrt(sum);
}
