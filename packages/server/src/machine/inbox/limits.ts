/** Every limit of the inbox. */

export const INBOX_LIMITS = {
  /** Sessions of each list. */
  listed: 100,
  /** Milliseconds between two looks for pages that follow the inbox; a question is sent at once. */
  lookMs: 2_000,
  /** A file of an agent that cannot be asked counts as being written for this time after its last record. */
  writingMs: 60_000,
  /** Viewed sessions that are remembered one by one; older marks are replaced by one time for all. */
  marks: 2_000,
  /** Events of runs that are read to learn how the newest one ended. */
  runEvents: 20,
} as const;
