/** Every limit of the streams, in one place. */

export const LIMITS = {
  /** The time that a reader from the beginning waits for the first chunk, and the interval of its checks. */
  firstChunkMs: 100,
  lookMs: 10,
} as const;
