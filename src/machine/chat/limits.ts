/** Every limit of conversations that pages continue. The limits of what a page may send are in `CHAT_LIMITS`. */

export const LIVE_LIMITS = {
  /** Conversations that are open at the same time. */
  open: 16,
  /** How long after the last turn an agent's program is ended. */
  idleMs: 60_000,
  /** How often a page is sent what is not stored: whether the process of a turn still runs. */
  lookMs: 2_000,
  /** How many events of runs are read for the state. */
  runEvents: 200,
} as const;
