/** The limits of this reader, besides the limits on records. */

/** The number of bytes at the start of a file that are read to see which session it belongs to. */
export const HEAD_BYTES: number = 64 * 1024;

/** The deletion of a session by Gemini CLI is reported this many days ahead. */
export const EXPIRY_NOTICE_DAYS: number = 7;

/** A file above this size has more than the lines that Gemini CLI writes when it starts. */
export const EMPTY_START_BYTES: number = 1024 * 1024;

/**
 * The number of lines at the start of a file from which its first messages are taken. The rest of the file is searched
 * for later versions of these messages, so the whole file must fit in memory: at most `MAX_FIRST_FILE_BYTES`.
 */
export const FIRST_LINES = 16;
export const MAX_FIRST_FILE_BYTES: number = 128 * 1024 * 1024;
