/** Every limit of the agent host. */

export const LIMITS = {
  /** Bytes of a message of a client. */
  messageBytes: 8_388_608,
  /** Messages of a history that a snapshot has at first, and that `fetchTurns` adds. */
  windowMessages: 200,
  /** The number of windows that are searched for the call whose edit a client reads. */
  windowsSearched: 100,
  /** Sessions that one answer lists, and that the machine is asked for at a time. */
  listed: 10_000,
  /** Actions that are kept for clients that lost their connection, and their characters. */
  actions: 10_000,
  actionChars: 33_554_432,
  /**
   * The time for which a session is followed after its last reader left, and the number of sessions that are followed
   * at the same time.
   */
  keptMs: 60_000,
  sessions: 200,
  /** After this time, a requested session has been read, so it may be dropped to make room for others. */
  openingMs: 10_000,
  /** The time within which the call of a question must arrive. */
  callMs: 500,
  /** The pause before a list that could not be read is read again. */
  retryMs: 1_000,
  /** Sessions that were created and have no message yet. */
  drafts: 100,
  subscriptions: 400,
  /** The newest turns of a followed session that are known to have ended. */
  endedTurns: 1_000,
  /** Sessions whose key changed. Clients can still use their earlier names. */
  movedSessions: 10_000,
  queued: 20,
  /** Characters of the input of a call, and of its result. */
  callChars: 100_000,
  /** Characters of the title of a call: a command or a list of tasks may be long. */
  titleChars: 160,
  reasonChars: 2_000,
  /** Characters of what a client tells about itself, as JSON: it may name its tools. */
  activeClientChars: 200_000,
  /** Characters of a time of a client. */
  timeChars: 100,
  promptChars: 200_000,
  attachments: 100,
  /** Characters of a message in the state of a chat, as JSON and without the data of its pictures. */
  shownChars: 400_000,
  /** Characters of the pictures of a message, as base64. */
  pictureChars: 4_194_304,
  /** A client with this many unsent bytes in its socket is disconnected. */
  waitingBytes: 8_388_608,
} as const;
