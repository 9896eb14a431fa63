/**
 * What skims found out about files, kept between runs, so that a list need not look into files that did not change.
 *
 * Promises: never wrong (an answer counts for one path, size, inode, and time of change, and not for a file that
 * changed a moment ago); may be deleted at any time; many processes can use it at once, and at worst forget.
 * Does not know: what the answers mean.
 */

export { openSkimMemo, type SavedSkimMemo } from "./memo.ts";
