/**
 * The outline of a video: its content according to its captions, also for parts that were not played yet, and the parts
 * that were watched.
 */

import type { Span } from "./live-notes.ts";

/** Text that is spoken in the video. */
export interface OutlinePassage extends Span {
  readonly text: string;
}

export interface OutlineChapter extends OutlinePassage {
  readonly title: string;
  /** The share of its captions that were heard: 0 to 1. */
  readonly watched: number;
}

/** The answer of `GET /v1/live/KEY/outline`. It is made without a model. */
export interface LiveOutline {
  /**
   * The number of captions that it is made of. With 0, the page has listed no captions, and all other fields are empty.
   *
   * @type integer
   */
  readonly cues: number;
  /** BCP 47; empty if it is not known. */
  readonly lang: string;
  readonly summary: readonly OutlinePassage[];
  /** In the order of the medium; they do not overlap. */
  readonly chapters: readonly OutlineChapter[];
  /** The parts whose captions were heard, in this session and in those that it continues. */
  readonly watched: readonly Span[];
}
