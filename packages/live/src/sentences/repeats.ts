/** Words that come again: in windows that roll, and after a seek back. Pure. */

import { LIMITS } from "./limits.ts";
import { plainWord, speechTokensOf } from "./pieces.ts";
import type { JoinState, Piece } from "./types.ts";

/** The times at which words were heard. */
export type EarlierWords = ReadonlyMap<string, readonly number[]>;

export function earlierWords(pieces: readonly Piece[]): EarlierWords {
  const words = new Map<string, number[]>();
  for (const piece of pieces) {
    for (const { word, atMs } of wordsIn(piece)) {
      const times = words.get(word);
      if (times === undefined) words.set(word, [atMs]);
      else times.push(atMs);
    }
  }
  return words;
}

/** True if a piece begins before a time that was already reached, so that it may be a repetition. */
export function isBehind({ furthestMs, backAt }: JoinState, { startMs }: Piece): boolean {
  return backAt === null ? startMs < furthestMs - LIMITS.backMs : startMs <= furthestMs + LIMITS.pollMs;
}

/** True if all words of a piece were heard before, at about its time. */
export function isRepeat(piece: Piece, earlier: EarlierWords): boolean {
  return wordsIn(piece).every(({ word, atMs }) =>
    (earlier.get(word) ?? []).some((heardMs) => Math.abs(heardMs - atMs) <= LIMITS.nearMs),
  );
}

/** The state before a piece that comes after a seek back: it knows where the newest stretch after the seek begins. */
export function stepBack(state: JoinState, { sequence, startMs }: Piece): JoinState {
  const isStep = state.backAt === null || startMs < (state.last?.startMs ?? 0) - LIMITS.backMs;
  return isStep ? { ...state, backAt: sequence } : state;
}

/** The state after a piece that was heard before. */
export function passOver(state: JoinState, { sequence, startMs, endMs }: Piece): JoinState {
  return { ...state, last: { sequence, startMs, endMs, words: 0, lineWords: 0 } };
}

function wordsIn(piece: Piece): readonly { readonly word: string; readonly atMs: number }[] {
  return speechTokensOf(piece).flatMap((part) =>
    part.type === "sound"
      ? [{ word: part.text, atMs: part.startMs }]
      : part.words.map(({ t, s }) => ({ word: plainWord(t), atMs: s })),
  );
}

/**
 * The number of words at the beginning of `next` that rolling captions still show from before. People say words twice,
 * so a repetition counts only if a window can be the reason: it has all words of the last piece or of its last line, or
 * it follows without a pause.
 */
export function overlapWords(
  before: readonly string[],
  next: readonly string[],
  { last, fresh, startMs }: Pick<JoinState, "last"> & { readonly fresh: number; readonly startMs: number },
): number {
  if (last === null) return 0;
  const gapMs = startMs - last.endMs;
  for (let count = Math.min(before.length, next.length); count > 0; count--) {
    const isSame = next.slice(0, count).every((word, n) => word === before[before.length - count + n]);
    if (count === 1 && fresh >= LIMITS.freshPieces) return 0;
    if (isSame && isWindow(count, { last, gapMs, isGrown: next.length > count })) return count;
  }
  return 0;
}

function isWindow(
  count: number,
  { last, gapMs, isGrown }: { last: NonNullable<JoinState["last"]>; gapMs: number; isGrown: boolean },
): boolean {
  if (count !== last.words && count !== last.lineWords) return count > 2 && gapMs <= LIMITS.atOnceMs;
  if (count > 2) return gapMs <= LIMITS.windowGapMs;
  return gapMs <= (isGrown ? LIMITS.grownGapMs : LIMITS.atOnceMs) && (isGrown || gapMs < 0);
}
