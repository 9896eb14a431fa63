/** Every limit of conversations that pages continue. The limits of the input of a page are in `CHAT_LIMITS`. */

export const LIVE_LIMITS = {
  /** Conversations that are open at the same time. */
  open: 16,
  /** An agent's program is ended this long after its last turn. */
  idleMs: 60_000,
  /**
   * The interval at which a page receives facts that are not stored, such as whether the process of a turn
   * still runs.
   */
  lookMs: 2_000,
  /** For completions of file names: how many names are read, how many are shown, and how long a listing is kept. */
  lookedFiles: 20_000,
  shownFiles: 20,
  filesKeptMs: 10_000,
  /** The number of events of runs that are read for the state. */
  runEvents: 200,
} as const;
