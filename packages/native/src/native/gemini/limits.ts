/** The limits of this reader, besides the limits on records. */

/** The bytes of a file that show its session. */
export const HEAD_BYTES: number = 64 * 1024;

/** Days before Gemini CLI deletes a session from which the deletion is reported. */
export const EXPIRY_NOTICE_DAYS: number = 7;

/** The largest file that can hold only the lines that Gemini CLI writes when it starts. */
export const EMPTY_START_BYTES: number = 1024 * 1024;
