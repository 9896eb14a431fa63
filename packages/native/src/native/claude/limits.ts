/** The limits of this reader, besides the limits on records. */

/** The number of bytes at the start of a file that show its folder and its session. */
export const HEAD_BYTES: number = 64 * 1024;

/** Days before Claude Code deletes a session from which the deletion is reported. */
export const EXPIRY_NOTICE_DAYS: number = 7;

/** Lost parents that are replaced in one session; further lines without a parent begin separate trees. */
export const MAX_REPAIRS: number = 1000;
