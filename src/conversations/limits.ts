/** Every limit of a conversation on the command line, in one place. */

export const TALK_LIMITS = {
  /** Of a prompt that is read from standard input. */
  promptBytes: 16_777_216,
  /** How long a prompt waits for the first byte of standard input, which may follow it. */
  firstInputMs: 3_000,
  /** What of a native session is taken into a session of Continuo's: the newest so much. */
  takenMessages: 1_000_000,
  takenChars: 134_217_728,
  /** The largest event of the store; nearly no message is as long, except with pictures. */
  messageChars: 30_000_000,
  /** Events of one append, and of what they hold about so much. */
  appendEvents: 256,
  appendChars: 4_194_304,
  /** Sessions of Continuo's that are looked through for the one that a native session belongs to. */
  lookedThrough: 5_000,
  /** Runs that are looked through for one that began before. */
  earlierTurns: 1_000,
  /** Of the store in memory: a long conversation needs little more than its end. */
  storeCacheBytes: 4_194_304,
  /** A turn's screen is drawn so often at most. */
  frameMs: 40,
  frameChars: 32_768,
  /** How long a question waits for what came before it to be on the screen, and for a slow disk to keep that. */
  settleMs: 10_000,
  /** After a turn of this length, the terminal's bell rings. */
  bellMs: 10_000,
  /** Free rows of the screen below the unfinished lines. */
  spareRows: 2,
} as const;
