/** Every limit of the adapters' common part, in one place. */

export const LIMITS = {
  /** Bytes of a framework's own form that are in an event; more become a blob. */
  inlineBytes: 262_144,
  /** The longest wait for a store that does not answer, and the pauses between its tries: they double. */
  storeMs: 20_000,
  retryMs: 25,
  maxRetryMs: 500,
} as const;
