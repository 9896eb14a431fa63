/** Bounds of sentences and thoughts, and the times by which they are cut. */

export const LIMITS = {
  /** Characters of one piece that are read. */
  pieceChars: 20_000,
  /** Words before the open sentence that a rolling window may repeat. */
  tailWords: 60,
  /**
   * The longest time after the last piece in which a window may repeat words. `windowGapMs`: three or more words, which
   * are all words of the piece or of its last line. `grownGapMs`: one or two such words, with new words after them.
   * `atOnceMs`: any other words.
   */
  windowGapMs: 5_000,
  grownGapMs: 1_500,
  atOnceMs: 250,
  /** After this number of pieces without a repetition, windows do not roll: a word that comes again was said twice. */
  freshPieces: 12,
  /** Words without punctuation after which a stream counts as one without any. */
  plainWords: 40,
  /**
   * `pauseMs`: the pause that ends a sentence in captions with punctuation. `soundPauseMs`: the pause before the mark
   * of a sound that makes the mark end a sentence.
   */
  pauseMs: 3_000,
  soundPauseMs: 500,
  /** A longer step of the video's time is a seek: forward, and backward. */
  skipMs: 15_000,
  backMs: 1_000,
  /** The interval at which a page is examined: drawn words can arrive late by this much. */
  pollMs: 500,
  /** The same delay if each change of the page is followed; words less than `quickGapMs` apart show that it is. */
  followedMs: 50,
  quickGapMs: 300,
  /** An end between words without known times is sure if its score exceeds the required one by this much. */
  guessScore: 0.7,
  /** After a pause of at least `longPauseMs`, an end needs a score of at most `longPauseScore`. */
  longPauseMs: 1_000,
  longPauseScore: 2.5,
  /** The additional pause that lowers the required score by one. */
  longPauseStepMs: 500,
  /** The lengths of sentences without punctuation, in units: words, or two characters of a text without spaces. */
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
