/** Every limit of a conversation on the command line, in one place. */

export const TALK_LIMITS = {
  /** The size of a prompt from standard input. */
  promptBytes: 16_777_216,
  /** The time that a prompt waits for the first byte of standard input, which may follow it. */
  firstInputMs: 3_000,
  /** The largest part of a native session that is imported: its newest messages. */
  takenMessages: 1_000_000,
  takenChars: 134_217_728,
  /** The largest event of the store; nearly no message is as long, except with pictures. */
  messageChars: 30_000_000,
  /** Events of one append, and the approximate number of characters in them. */
  appendEvents: 256,
  appendChars: 4_194_304,
  /** Sessions of Continuo's that are looked through for the one that a native session belongs to. */
  lookedThrough: 5_000,
  /** The time in which the words of a prompt that was cut off are the same prompt, when other turns followed it. */
  repeatedMs: 86_400_000,
  /** Runs that are looked through for one that began before. */
  earlierTurns: 1_000,
  /** The size of the store in memory: a long conversation needs little more than its end. */
  storeCacheBytes: 4_194_304,
  /** A turn's screen is drawn so often at most. */
  frameMs: 40,
  frameChars: 32_768,
  /** The time that a question waits until earlier output is on the screen, and a slow disk stored it. */
  settleMs: 10_000,
  /** After a turn of this length, the terminal's bell rings. */
  bellMs: 10_000,
  /** Free rows of the screen below the unfinished lines. */
  spareRows: 2,
} as const;
