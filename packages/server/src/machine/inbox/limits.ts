/** Every limit of the inbox. */

export const INBOX_LIMITS = {
  /** Sessions of each list. */
  listed: 100,
  /** Milliseconds between two checks for pages that follow the inbox; a question is sent at once. */
  lookMs: 2_000,
  /** A file of an agent that cannot be asked counts as being written for this time after its last record. */
  writingMs: 60_000,
  /** The number of viewed sessions with separate marks; older marks are replaced by one common time. */
  marks: 2_000,
  /** Events of runs that are read to learn how the newest one ended. */
  runEvents: 20,
} as const;
