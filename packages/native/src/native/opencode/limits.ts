/** What bounds this reader, besides the limits on records. */

/** How long a read waits for a program that has locked the database. */
export const LOCK_TIMEOUT_MS: number = 2000;

/** How much of a JSON file is looked at to learn whether it is an export of opencode. */
export const HEAD_BYTES: number = 64 * 1024;

/** Of a damaged database up to this size what can be read is held in memory; so often a readable page is looked for. */
export const MAX_SALVAGE_BYTES: number = 256 * 1024 * 1024;
export const MAX_SALVAGE_PROBES = 20_000;
