/** Every limit of the search for an obstacle. */

export const LIMITS = {
  /** One request. */
  probeMs: 1_500,
  /** After so many tries that met an obstacle, one after another, it is believed: a server may have been starting. */
  tries: 3,
} as const;
