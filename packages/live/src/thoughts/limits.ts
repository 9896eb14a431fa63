/** Bounds of thoughts and of the notes on them. */

export const LIMITS = {
  /** An end is judged when this many sentences, and at least this time, follow it. */
  aheadSentences: 2,
  aheadMs: 4_000,
  /** A single sentence of this length is enough as well. */
  longAheadMs: 8_000,
  /** The number of sentences before and after a place that are compared. */
  comparedBefore: 5,
  comparedAfter: 3,
  /** A thought ends if the score is at least this. */
  endScore: 1.45,
  /** A pause with at least this score ends a thought regardless of the words. */
  surePause: 2,
  shortMs: 10_000,
  longMs: 45_000,
  /** A thought of this length or this number of sentences is ended at its best place. */
  mostMs: 150_000,
  mostSentences: 40,
  /**
   * A thought that waits for room is cut at this number of sentences, even if the time of the talk does not advance.
   */
  sentencesInMemory: 100,
  /** Silence that ends a thought. */
  silenceMs: 8_000,
  /** A step back of the time that ends a thought, because somebody moved to another place of the video. */
  backMs: 2_000,

  /** An hour of talk has at most 60 notes: `notesAtOnce` without a wait, and one more for each `noteEveryMs`. */
  notesAtOnce: 18,
  noteEveryMs: 90_000,
  /** The longest time for which a gap counts. */
  longestGapMs: 90_000,

  /** The greatest size of a note, in sentences and in characters. */
  noteSentences: 3,
  noteChars: 480,
  /** The rest of a sentence that was cut follows within this time. */
  restMs: 1_500,
  /** Sentences of one chapter that are compared with each other. */
  comparedSentences: 200,
  fewestTerms: 3,
  /** A stretch shorter than this counts as filler as a whole if it contains a greeting or an advertisement. */
  fillerMs: 20_000,
  /** With fewer words, speech between two thoughts has no note. */
  asideTerms: 12,
} as const;
