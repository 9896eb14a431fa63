/** Sentences of a whole talk, in the order of the medium; what was heard again after a seek back counts once. */

import {
  backSince,
  EMPTY_JOIN_STATE,
  earlierWords,
  endSentence,
  type JoinState,
  joinHeard,
  type Sentence,
} from "../sentences/index.ts";
import { OUTLINE_LIMITS } from "./limits.ts";
import type { SpokenPiece } from "./types.ts";

/**
 * Yields after each piece, so that a long talk need not be joined at once. The pieces are in the order of their
 * sequences.
 */
export function* spokenSentences(pieces: readonly SpokenPiece[]): Generator<void, readonly Sentence[], void> {
  const streams = new Map<string, JoinState>();
  const sentences: Sentence[] = [];
  const heard = new HeardPieces();
  const add = (speaker: string, ended: readonly Sentence[]): void => {
    for (const sentence of ended) sentences.push(speaker === "" ? sentence : { ...sentence, speaker });
  };
  for (const piece of pieces) {
    const { speaker = "" } = piece;
    const before = streams.get(speaker) ?? EMPTY_JOIN_STATE;
    const since = backSince(before, piece);
    const earlier = since === null ? null : earlierWords(heard.around(piece, since));
    const joined = joinHeard(before, piece, earlier);
    streams.set(speaker, joined.state);
    heard.add(piece);
    add(speaker, joined.sentences);
    yield;
  }
  for (const [speaker, state] of streams) add(speaker, endSentence(state).sentences);
  return sentences.toSorted((a, b) => a.startMs - b.startMs);
}

/** The pieces so far by their time, so that a piece is compared only with those around it. */
class HeardPieces {
  readonly #byTime = new Map<number, SpokenPiece[]>();

  add(piece: SpokenPiece): void {
    const slot = slotOf(piece.startMs);
    const known = this.#byTime.get(slot);
    if (known === undefined) this.#byTime.set(slot, [piece]);
    else known.push(piece);
  }

  around({ startMs }: SpokenPiece, before: number): readonly SpokenPiece[] {
    const slot = slotOf(startMs);
    return [slot - 1, slot, slot + 1]
      .flatMap((near) => this.#byTime.get(near) ?? [])
      .filter(
        (one) => one.sequence < before && Math.abs(one.startMs - startMs) <= OUTLINE_LIMITS.heardAgainMs,
      );
  }
}

function slotOf(startMs: number): number {
  return Math.floor(startMs / OUTLINE_LIMITS.heardAgainMs);
}
