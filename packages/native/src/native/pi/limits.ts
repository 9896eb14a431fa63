/** The limits of this reader, besides the limits on records. */

/** The bytes of a file that show its session. */
export const HEAD_BYTES: number = 64 * 1024;

/** If a header is lost, its cwd is derived from at most this many neighbouring sessions and folders of the machine. */
export const MAX_SESSIONS_BESIDE = 50;
export const MAX_FOLDERS_BESIDE = 2000;
