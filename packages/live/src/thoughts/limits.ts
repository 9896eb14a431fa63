/** Bounds of thoughts and of the notes on them. */

export const LIMITS = {
  /** The sentences, and their time, that follow a possible end before it is judged. */
  aheadSentences: 2,
  aheadMs: 4_000,
  /** The time of one long sentence that counts as much. */
  longAheadMs: 8_000,
  /** Sentences to either side that are compared. */
  comparedBefore: 5,
  comparedAfter: 3,
  /** The score from which a thought ends. */
  endScore: 1.45,
  /** The score of a pause from which a thought ends whatever the words are. */
  surePause: 2,
  shortMs: 10_000,
  longMs: 45_000,
  /** From this time or number of sentences on, a thought ends at its best place. */
  mostMs: 150_000,
  mostSentences: 40,
  /** A thought that waits for room is cut at this number, even if the time of the talk stands still. */
  sentencesInMemory: 100,
  /** Silence that ends a thought. */
  silenceMs: 8_000,
  /** A step back of the time that ends a thought: somebody went to another place of the video. */
  backMs: 2_000,

  /** In an hour of talk at most 60 notes: so many at once, and one more for each of these times. */
  notesAtOnce: 18,
  noteEveryMs: 90_000,
  /** A gap counts at most so long. */
  longestGapMs: 90_000,

  /** A note: its sentences, its characters, its units (words, or two characters without spaces). */
  noteSentences: 3,
  noteChars: 480,
  /** The rest of a sentence that was cut follows within this time. */
  restMs: 1_500,
  /** Sentences of one chapter that are compared with each other. */
  comparedSentences: 200,
  fewestTerms: 3,
  /** A shorter stretch that holds a greeting or an advertisement is one as a whole. */
  fillerMs: 20_000,
  /** With fewer words, what stands between two thoughts has no note. */
  asideTerms: 12,
} as const;
