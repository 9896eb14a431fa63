/** Every limit of the session manager, in one place. Those that a caller may set are defaults. */

export const LIMITS = {
  /** Runs that wait for one session. One more is `too_many_runs`. */
  queuedRuns: 32,
  /** Sessions of one store that run at the same time in this process; further ones wait. */
  parallelRuns: 16,
  /** How long a session is held without a sign of life. It is renewed three times as often. */
  leaseMs: 30_000,
  /** How long an agent has to end by itself after it was told to stop; then it is left. */
  graceMs: 5_000,
  /** How often who waits for a session looks by itself. */
  pollMs: 1_000,
  /** The same, while a session is about to be let go. */
  shortPollMs: 25,
  /** Inputs that `wake` offers at once. */
  offeredInputs: 1_000,
} as const;
