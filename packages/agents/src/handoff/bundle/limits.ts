/** The limits of a bundle. */

/** Bytes of the first line, which lists the files. */
export const MAX_MANIFEST_BYTES: number = 4 * 1024 * 1024;
export const MAX_FILES = 10_000;
/** Bytes of a path in a bundle, in UTF-8. */
export const MAX_PATH_BYTES = 1_024;
/** Bytes of each name in a path: file systems do not accept longer names. */
export const MAX_NAME_BYTES = 255;
/** Bytes of all files together, unpacked. */
export const MAX_TOTAL_BYTES: number = 8 * 1024 ** 3;
/**
 * The greatest ratio of unpacked to packed bytes: a conversation compresses to a tenth, a repetitive one to a
 * hundredth.
 */
export const MAX_EXPANSION = 400;
/** Bytes that a bundle may expand to in addition to what that ratio allows. */
export const FREE_EXPANSION_BYTES: number = 64 * 1024 * 1024;
