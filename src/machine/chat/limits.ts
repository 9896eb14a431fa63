/** Every limit of conversations that pages continue, in one place. What a page may send is in `CHAT_LIMITS`. */

export const LIVE_LIMITS = {
  /** Conversations that are open at the same time. */
  open: 16,
  /** An agent's program ends so long after the last turn. */
  idleMs: 60_000,
  /** So often a page is told what nobody stores: whether the process of a turn is still there. */
  lookMs: 2_000,
  /** Events of runs that are looked at for the state. */
  runEvents: 200,
} as const;
