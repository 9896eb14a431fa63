/** What bounds this reader, besides the limits on records. */

/** How much of a file is read to learn whose it is, and how many records. */
export const HEAD_BYTES: number = 64 * 1024;
export const HEAD_RECORDS = 1;
