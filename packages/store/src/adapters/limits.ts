/** Every limit of the adapters' common part, in one place. */

export const LIMITS = {
  /** The number of bytes in a framework's own form that an event contains; more bytes become a blob. */
  inlineBytes: 262_144,
  /** The longest wait for a store that does not answer, and the pauses between tries, which double. */
  storeMs: 20_000,
  retryMs: 25,
  maxRetryMs: 500,
} as const;
