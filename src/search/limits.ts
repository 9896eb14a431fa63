/** The limits of a search. */

export const SEARCH_LIMITS = {
  /** What is new since the last search is indexed before this one, where it is at most so much, for so long. */
  fewSessions: 64,
  fewBytes: 16_777_216,
  fillMs: 500,
  /** How often a search begins again where other processes write the index meanwhile. */
  rounds: 3,
} as const;
