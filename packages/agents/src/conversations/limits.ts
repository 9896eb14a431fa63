/** Every limit of a conversation on the command line, in one place. */

export const TALK_LIMITS = {
  /** The size of a prompt from standard input. */
  promptBytes: 16_777_216,
  /** The time that a prompt waits for the first byte of standard input, whose text may be added to it. */
  firstInputMs: 3_000,
  /**
   * The greatest number of messages, and of their characters, that are imported from a native session: the newest ones.
   */
  takenMessages: 1_000_000,
  takenChars: 134_217_728,
  /** The number of parts, left by killed imports of a native session, that its next import removes. */
  removedParts: 100,
  /**
   * An import that has stored nothing for this long counts as ended, even if nobody can tell whether its process still
   * runs, because it was on another machine or because this machine was restarted. An import of a million messages takes
   * minutes.
   */
  importSilenceMs: 86_400_000,
  /** The greatest size of an event of the store; only messages with pictures are usually larger. */
  messageChars: 30_000_000,
  /** Events of one append, and the approximate number of characters in them. */
  appendEvents: 256,
  appendChars: 4_194_304,
  /** For this time, the same text counts as a repetition of a prompt that was cut off, even after other turns. */
  repeatedMs: 86_400_000,
  /** The number of runs that are searched for an earlier one. */
  earlierTurns: 1_000,
  /** The size of the store's cache in memory: a long conversation needs little more than its newest part. */
  storeCacheBytes: 4_194_304,
  /** The newest events, of each kind, that are compared with the end of a native session, and the bytes of that end. */
  nativeEvents: 1_000,
  nativeNewestBytes: 1_048_576,
  /** An answer without a stop reason counts as complete when its native session was not written for this time. */
  nativeQuietMs: 2_000,
  /**
   * A turn without an answer counts as ended when its native session was not written for this time: the first value if
   * its agent is known to have closed the session, the second one if that is not known.
   */
  nativeClosedMs: 5_000,
  nativeStoppedMs: 600_000,
  /** The longest wait of a prompt for another process to leave the agent's session. */
  writerWaitMs: 15_000,
  /** A time that is longer than a tick of the clock that stamps files. */
  nativeTickMs: 100,
  /** The least time between two drawings of a turn's screen. */
  frameMs: 40,
  frameChars: 32_768,
  /** The time that a question waits until earlier output is on the screen, and until a slow disk has stored it. */
  settleMs: 10_000,
  /** After a turn of this length, the terminal's bell rings. */
  bellMs: 10_000,
  /** Free rows of the screen below the unfinished lines. */
  spareRows: 2,
} as const;
