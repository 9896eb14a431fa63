/** What bounds this reader, besides the limits on records. */

/** How long a read waits for a program that has locked the database. */
export const LOCK_TIMEOUT_MS: number = 2000;

/** How much of a JSON file is looked at to learn whether it is an export of opencode. */
export const HEAD_BYTES: number = 64 * 1024;
