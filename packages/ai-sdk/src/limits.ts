/** Every limit of the transport, in one place. */

export const LIMITS = {
  /** The longest wait for a server that does not answer, and the pauses between attempts, which double. */
  patienceMs: 60_000,
  retryMs: 100,
  maxRetryMs: 2_000,
  /** Browsers finish a request of a page that was left only if its body is small. */
  keepAliveBytes: 60_000,
} as const;

/** Statuses of a server, or of a proxy in front of it, that is unavailable for a moment. */
export const PASSING_STATUSES: readonly number[] = [429, 502, 503, 504];
