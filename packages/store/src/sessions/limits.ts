/** Every limit of the session manager, in one place. Those that a caller may set are defaults. */

export const LIMITS = {
  /** Runs that wait for one session. One more is `too_many_runs`. */
  queuedRuns: 32,
  /** Earlier attempts at an input that are read to find the native session of the latest one. */
  attemptsRead: 100,
  /** Sessions of one store that run at the same time in this process; further ones wait. */
  parallelRuns: 16,
  /** The time for which a lease is valid without a renewal. Its holder renews the lease three times in this period. */
  leaseMs: 30_000,
  /** The time in which an agent must end after it was cancelled; then it is abandoned. */
  graceMs: 5_000,
  /**
   * The longest wait of a run for an agent's program that an ended process left, and that still has the native session
   * open.
   */
  orphanMs: 30_000,
  /** The first pause before the agent is called again. It doubles up to `maxOrphanPollMs`. */
  orphanPollMs: 100,
  maxOrphanPollMs: 2_000,
  /** The interval at which a waiting run looks by itself if the session is free. */
  pollMs: 1_000,
  /** The same interval, while a session is about to be released. */
  shortPollMs: 25,
  /** The time after which a run begins to look for requests to cancel it. */
  watchAfterMs: 50,
  /** The number of runs that this process remembers to have started. */
  rememberedStarts: 1_000,
  /** The largest number of inputs that one call of `wake` offers. */
  offeredInputs: 1_000,
  /** The longest wait of a run for a store that does not answer. */
  storeMs: 20_000,
  /** The longest wait for the store after the caller has given up. */
  impatientStoreMs: 2_000,
  /** The first pause before a store is asked again. It doubles up to `maxRetryMs`. */
  retryMs: 25,
  maxRetryMs: 500,
  /** Characters of a word of an agent (why it stopped), of a name (a model, a native session), of a path. */
  wordChars: 1_000,
  nameChars: 512,
  pathChars: 8_192,
  /** Characters of an error's message; bytes of its details. */
  errorChars: 65_536,
  /** The size in bytes of the result of an agent: its event is at most 32 MiB in all. */
  resultBytes: 31_457_280,
} as const;
