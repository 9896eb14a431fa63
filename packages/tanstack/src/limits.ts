/** Every limit of the streams, in one place. */

export const LIMITS = {
  /** A reader from the beginning waits so long for the first chunk of a run that has none, and looks so often. */
  firstChunkMs: 100,
  lookMs: 10,
} as const;
