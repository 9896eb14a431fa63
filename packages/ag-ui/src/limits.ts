/** Every limit of the handler, in one place. */

export const LIMITS = {
  /** A client sends the whole conversation with each request. */
  requestBytes: 32_000_000,
  /** Messages and answers of one request. */
  listItems: 100_000,
  /** The longest time from the event of a question until the question can be answered, unless its process has ended. */
  storedWithinMs: 1_000,
  storedPauseMs: 20,
} as const;
