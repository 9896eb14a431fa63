/** The limits of indexing in the background. */

export const INDEXING_LIMITS = {
  /** A list of at most this many sessions starts no process, because a search indexes them itself. */
  fewSessions: 64,
  /** A process is started at most once in this time: after a list, and after a search that missed the index. */
  betweenMs: { list: 600_000, search: 60_000 },
  /** A process ends after this time; the next one continues. */
  timeMs: 900_000,
  /** The limit of its heap's old generation. */
  heapMegabytes: 1_024,
  /** The characters of text that one transaction writes: other writers wait for its end. */
  batchChars: 1_048_576,
  /** The time that a process waits for one that is about to end. */
  lockMs: 500,
} as const;
