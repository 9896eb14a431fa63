/** The limits of this reader, besides the limits on records. */

/** The number of bytes at the start of a file that are read to see which session it belongs to. */
export const HEAD_BYTES: number = 64 * 1024;

/** The deletion of a session by Gemini CLI is reported this many days ahead. */
export const EXPIRY_NOTICE_DAYS: number = 7;

/** A file above this size has more than the lines that Gemini CLI writes when it starts. */
export const EMPTY_START_BYTES: number = 1024 * 1024;

/**
 * The first messages of a file are taken from this number of its lines. A file above `MAX_FIRST_FILE_BYTES` is not used
 * for this: it would be in memory as a whole, in which later versions of these messages are searched.
 */
export const FIRST_LINES = 16;
export const MAX_FIRST_FILE_BYTES: number = 128 * 1024 * 1024;
