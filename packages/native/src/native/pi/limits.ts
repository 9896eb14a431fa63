/** What bounds this reader, besides the limits on records. */

/** How much of a file is read to learn whose it is, and how many records. */
export const HEAD_BYTES: number = 64 * 1024;
export const HEAD_RECORDS = 1;

/** Where a header is lost: how many sessions next to it, and folders of the machine, are asked for its cwd. */
export const MAX_SESSIONS_BESIDE = 50;
export const MAX_FOLDERS_BESIDE = 2000;
