/** The limits of a search. */

export const SEARCH_LIMITS = {
  /**
   * The sessions that a search indexes before it answers: their greatest number, their size, and the time for it. The
   * number and the size decide; the time is many times longer than they need, for a machine that is busy or faulty.
   */
  fewSessions: 64,
  fewBytes: 16_777_216,
  fillMs: 5_000,
  /** The number of times a search begins again while other processes write the index. */
  rounds: 3,
  /** Turns with some of the words that are ranked against each other. */
  rankedTurns: 5_000,
  /** The best sessions of which turns are read, to see how close together the words stand. */
  closeSessions: 24,
} as const;
