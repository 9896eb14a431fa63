/** Pieces of captions, their words, and sentences. Times are milliseconds of the medium. */

export interface Piece {
  /** Its place in the log, which identifies it. */
  readonly sequence: number;
  readonly text: string;
  readonly startMs: number;
  /** The same as `startMs` for words that a page draws, because their length is not known then. */
  readonly endMs: number;
  readonly lang?: string;
}

/** The names are short, because the words of an open sentence are stored with each batch. */
export interface TimedWord {
  /** The text, with its punctuation. */
  readonly t: string;
  readonly s: number;
  readonly e: number;
  /** The sequence of its piece. */
  readonly p: number;
  /** `1` when no space comes before it. */
  readonly j?: 1;
  /** `1` if this is the first word of another person. */
  readonly n?: 1;
}

export interface Sentence {
  readonly text: string;
  /** The time at which its first word begins. `endMs` is that at which its last word ends. */
  readonly startMs: number;
  readonly endMs: number;
  /** `und` if the language is not known. */
  readonly lang: string;
  /** `sound`: a mark such as `[Music]`. */
  readonly kind: "speech" | "sound";
  /** Another person begins to speak here (`>>`, `-`). */
  readonly isTurn: boolean;
  /** True if it was cut because it became too long: the next sentence may be the rest of it. */
  readonly isCut?: boolean;
  /**
   * True if its end is a guess, because the times of its words are not known: the next sentence may be the rest of it.
   */
  readonly isGuess?: boolean;
  /** True if it has no end, because somebody else began to speak. */
  readonly isBroken?: boolean;
  /** The speaker, if the speech of several people is kept apart. */
  readonly speaker?: string;
  /** The sequences of its pieces. */
  readonly pieces: readonly number[];
}

/** The state of a stream between two pieces. */
export interface JoinState {
  /** The words of the sentence that is open. */
  readonly words: readonly TimedWord[];
  /** The last words of the earlier sentences, in the form in which they are compared. */
  readonly tail: readonly string[];
  readonly lang: string;
  /** The number of words since the last punctuation. Captions without punctuation are cut at pauses. */
  readonly plainWords: number;
  /** The last mark of a sound, which rolling captions repeat. */
  readonly sound: { readonly text: string; readonly atMs: number } | null;
  readonly last: {
    readonly sequence: number;
    readonly startMs: number;
    readonly endMs: number;
    /** The number of its words, and of those of its last line. */
    readonly words: number;
    readonly lineWords: number;
  } | null;
  /** The latest time at which a piece began; pieces with earlier times come after a seek back. */
  readonly furthestMs: number;
  /** After a seek back, the sequence of the first piece there; `null` after a piece begins later than `furthestMs`. */
  readonly backAt: number | null;
  /** The additional score that the end of a sentence without punctuation needs. */
  readonly strictness?: number;
  /** The number of pieces in a row that repeated nothing, up to a limit; small for captions that repeat words. */
  readonly fresh?: number;
}
