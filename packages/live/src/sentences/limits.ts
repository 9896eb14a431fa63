/** Bounds of sentences and thoughts, and the times by which they are cut. */

export const LIMITS = {
  /** Characters of one piece that are read. */
  pieceChars: 20_000,
  /** Words before the open sentence that a rolling window may repeat. */
  tailWords: 60,
  /**
   * The time after the last piece in which a window may repeat its words: three or more words, fewer words, and words
   * of any place.
   */
  windowGapMs: 5_000,
  grownGapMs: 1_500,
  atOnceMs: 250,
  /** After this number of pieces without a repetition, windows do not roll: a word that comes again was said twice. */
  freshPieces: 12,
  /** Words without punctuation after which a stream counts as one without any. */
  plainWords: 40,
  /**
   * The pause that ends a sentence in captions with punctuation, and the pause before the mark of a sound that ends
   * one.
   */
  pauseMs: 3_000,
  soundPauseMs: 500,
  /** A step of the time of this length is a seek. */
  skipMs: 15_000,
  backMs: 1_000,
  /** The interval at which a page is examined: drawn words can arrive late by this much. */
  pollMs: 500,
  /** The same if each change of the page is followed, which words less than this apart show. */
  followedMs: 50,
  quickGapMs: 300,
  /** With this much more than the usual score, an end between words without known times is sure. */
  guessScore: 0.7,
  /** After a pause of this length, an end needs no higher score. */
  longPauseMs: 1_000,
  longPauseScore: 2.5,
  /** The additional pause that lowers the required score by one. */
  longPauseStepMs: 500,
  /** The fewest and the most units of a sentence without punctuation: a word, or two characters without spaces. */
  fewestUnits: 4,
  usualUnits: 12,
  meanUnits: 20,
  mostUnits: 36,
  /** With punctuation, a sentence may be longer. */
  mostPunctuatedUnits: 70,
  /** The shortest time that it takes to say a character of drawn words. */
  charMs: 65,
  /** The time that it usually takes to say a word, and each of its letters. */
  wordMs: 60,
  letterMs: 55,
  /** The same words within this time after they were heard are a repetition. */
  nearMs: 2_500,
  /** A mark of a sound that returns within this time is the same one. */
  soundMs: 10_000,
} as const;
