/** Every limit of the transport, in one place. */

export const LIMITS = {
  /** The longest wait for a server that does not answer. */
  patienceMs: 60_000,
  /** Browsers finish a request of a page that was left only if its body is small. */
  keepAliveBytes: 60_000,
} as const;
