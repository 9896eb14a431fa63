/** Every limit of a conversation on the command line, in one place. */

export const TALK_LIMITS = {
  /** Of a prompt that is read from standard input. */
  promptBytes: 16_777_216,
  /** What of a native session is taken into a session of Continuo's: the newest so much. */
  takenMessages: 4_000,
  takenChars: 16_777_216,
  /** Events of one append. */
  appendEvents: 256,
  /** Sessions of Continuo's that are looked through for the one that a native session belongs to. */
  lookedThrough: 5_000,
  /** A turn's screen is drawn so often at most. */
  frameMs: 40,
  frameChars: 32_768,
  /** How long a question waits for what came before it to be on the screen. */
  settleMs: 1_000,
  /** Rows of the screen that are left alone below what is not whole yet. */
  spareRows: 2,
} as const;
