/** The parts of an outline. Times are milliseconds of the medium. */

import type { Piece } from "../sentences/index.ts";

/** A piece of captions; pieces of different speakers are joined into separate sentences. */
export interface SpokenPiece extends Piece {
  readonly speaker?: string;
}

export type OutlineKind = "summary" | "chapter" | "decision" | "question";

export interface OutlineItem {
  readonly kind: OutlineKind;
  /** A few words for a chapter; `null` for all other kinds. */
  readonly title: string | null;
  /** Sentences as they were said. */
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  /** The sequences of the pieces of which the text consists. */
  readonly pieces: readonly number[];
}
