/** The limits of this reader, besides the limits on records. */

/** The longest wait of a read for a program that has locked the database. */
export const LOCK_TIMEOUT_MS: number = 2000;

/** The bytes of a JSON file that show if it is an export of opencode. */
export const HEAD_BYTES: number = 64 * 1024;

/**
 * The largest damaged database whose readable part is held in memory; the number of tries to find a readable
 * page.
 */
export const MAX_SALVAGE_BYTES: number = 256 * 1024 * 1024;
export const MAX_SALVAGE_PROBES = 20_000;

/** The memory that a row takes besides its data: its columns, and the facts that are read of it. */
export const ROW_BYTES = 1024;

/** The rows of messages in which the first messages of a session are found. */
export const FIRST_ROWS = 8;
