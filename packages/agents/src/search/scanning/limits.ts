/** The limits of searching without an index. */

export const SCAN_LIMITS = {
  /** Up to this number of bytes, no thread is used, because starting one takes longer. */
  hereBytes: 4_194_304,
  /** Threads that read files at the same time, and the bytes for which one more is started. */
  threads: 4,
  bytesPerThread: 16_777_216,
  /** The amount that a thread searches before it reports: bytes of files, and sessions. */
  batchBytes: 16_777_216,
  batchSessions: 128,
  /** The number of first batches that are smaller, so that the first results come soon. */
  smallBatches: 8,
  /** An index of fewer turns does not show how often words are used. */
  knownTurns: 1_000,
} as const;
