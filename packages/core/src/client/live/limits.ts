/** Every limit of the client of continuous sessions. */

export const LIMITS = {
  firstRetryMs: 250,
  longestRetryMs: 10_000,
  /** The time limit of one request. */
  requestMs: 30_000,
  /** A server that sends nothing for this time counts as gone. */
  silenceMs: 10_000,
  heartbeatMs: 3_000,
  /** The interval at which a client reports that it is present. */
  pingMs: 600_000,
  /** Batches that wait for the server. One more is refused with `too_large`. */
  outboxBatches: 100_000,
  /** Recordings of speech that wait for the server. */
  waitingRecordings: 50,
} as const;
