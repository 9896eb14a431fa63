/** Every limit of the security log. */

export const LIMITS = {
  windowMs: 60_000,
  /** Lines of one kind from one network in a window. Events beyond them are counted. */
  linesOfNetwork: 10,
  /** Lines in a window. */
  lines: 300,
  /** Kinds and networks that are counted one by one; the others are counted together. */
  counters: 100,
  textLength: 200,
  /**
   * The time for which the use of a token from a network is not recorded again, and the number of uses that are
   * remembered.
   */
  acceptedMs: 3_600_000,
  rememberedUses: 10_000,
  /** The interval at which the actions of commands and other servers are looked up. */
  auditLookMs: 1_000,
} as const;
