/** The live line: the newest sentences with their times. Pure. */

import { EMPTY_JOIN_STATE, joinPiece, openSentence, type Sentence } from "@continuo/live/sentences";
import { LIMITS } from "../limits.ts";
import type { ShownEvidence } from "./view.ts";

export interface LineSentence {
  /** The times at which its first word begins and its last word ends. */
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
}

/**
 * Returns the newest sentences, oldest first; the last one may be open. Words that are heard again after a seek back
 * are shown again.
 */
export function heardLast(evidence: readonly ShownEvidence[]): readonly LineSentence[] {
  const pieces = evidence.filter(({ type }) => type === "transcript_added").slice(-LIMITS.linePieces);
  const sentences: Sentence[] = [];
  let state = EMPTY_JOIN_STATE;
  for (const { sequence, text, mediaTimeMs, endMs, lang } of pieces) {
    const joined = joinPiece(state, { sequence, text, startMs: mediaTimeMs, endMs, lang });
    state = joined.state;
    sentences.push(...joined.sentences);
  }
  const open = openSentence(state);
  const all = open === null ? sentences : [...sentences, open];
  return all.slice(-LIMITS.lineSentences).map(({ startMs, endMs, text }) => ({ startMs, endMs, text }));
}

/** Returns the index of the last sentence that is said at this time, or ended just before; -1 if there is none. */
export function saidAt(sentences: readonly LineSentence[], atMs: number): number {
  return sentences.findLastIndex(
    ({ startMs, endMs }) => startMs <= atMs && atMs <= Math.max(endMs, startMs) + LIMITS.lineLateMs,
  );
}
