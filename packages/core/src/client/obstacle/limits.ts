/** Every limit of the search for an obstacle. */

export const LIMITS = {
  /** One request. */
  probeMs: 1_500,
  /**
   * The number of consecutive tries that met an obstacle before it is reported; fewer may mean that the server is still
   * starting.
   */
  tries: 3,
} as const;
