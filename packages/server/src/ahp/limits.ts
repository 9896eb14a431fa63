/** Every limit of the agent host. */

export const LIMITS = {
  /** Bytes of a message of a client. */
  messageBytes: 8_388_608,
  /** Messages of a history that a snapshot begins with, and that `fetchTurns` adds. */
  windowMessages: 200,
  /** Sessions that one answer lists. */
  listed: 10_000,
  /** Sessions that the machine is asked for at a time. */
  page: 500,
  /** Actions that a client which lost its connection can have replayed, and their characters. */
  actions: 10_000,
  actionChars: 33_554_432,
  /** A session is followed this long after its last reader left, and so many are at the same time. */
  keptMs: 60_000,
  sessions: 200,
  /** Sessions that were made and in which nothing was said yet. */
  drafts: 100,
  subscriptions: 400,
  queued: 20,
  /** Characters of the input of a call, and of its result. */
  callChars: 100_000,
  reasonChars: 2_000,
  promptChars: 200_000,
  /** With this many unsent bytes in a socket, nothing more is sent before they have left; and how long. */
  waitingBytes: 8_388_608,
  stalledMs: 30_000,
  pauseMs: 20,
} as const;
