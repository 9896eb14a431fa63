/** What bounds this reader, besides the limits on records. */

/** How much of a file is read to learn its session or whose it is. */
export const HEAD_BYTES: number = 64 * 1024;

/** Days before Gemini CLI deletes a session from which the deletion is reported. */
export const EXPIRY_NOTICE_DAYS: number = 7;

/** Of a file that holds nothing but what Gemini CLI writes when it starts. */
export const EMPTY_START_BYTES: number = 1024 * 1024;
