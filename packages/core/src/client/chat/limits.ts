/** Every limit of a page in a chat, in one place. */

export const LIMITS = {
  /** Messages that the server has not confirmed. Another one is refused with `busy`. */
  unsent: 100,
  /** The time for which a message is sent again while no server answers. */
  sendMs: 60_000,
  /** The time for which the first connection is tried. */
  firstConnectionMs: 30_000,
  firstRetryMs: 100,
  longestRetryMs: 5_000,
  /** The server sends something every 15 seconds. A connection that is silent for longer than this is lost. */
  silentMs: 40_000,
  /** Browsers finish a request of a page that was left only if its body is small. */
  keepAliveLength: 20_000,
} as const;
