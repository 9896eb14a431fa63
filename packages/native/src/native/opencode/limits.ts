/** The limits of this reader, in addition to the limits on records. */

/** The milliseconds for which a read waits for a program that has locked the database. */
export const LOCK_TIMEOUT_MS: number = 2000;

/** The first bytes of a JSON file, which show if it is an export of opencode. */
export const HEAD_BYTES: number = 64 * 1024;

/** The bytes of the largest damaged database whose readable part is held in memory. */
export const MAX_SALVAGE_BYTES: number = 256 * 1024 * 1024;
/** The largest number of attempts to find a readable page in it. */
export const MAX_SALVAGE_PROBES = 20_000;

/** The bytes of memory that a row takes in addition to its data: its columns, and the facts that are read from it. */
export const ROW_BYTES = 1024;

/** The number of rows of messages that are read to find the first messages of a session. */
export const FIRST_ROWS = 8;
