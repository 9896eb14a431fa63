/** The limits of the state of a work tree. */

/** The number of files that were changed or are not tracked. */
export const MAX_TREE_FILES = 100_000;

/** The total size of these files. */
export const MAX_TREE_BYTES: number = 2 * 1024 ** 3;

/** Bytes of the state as JSON. */
export const MAX_STATE_BYTES: number = 64 * 1024 * 1024;

/** Names of ignored files that are listed. */
export const MAX_IGNORED_NAMES = 1_000;

/** The nesting depth of submodules. */
export const MAX_SUBMODULE_DEPTH = 4;

/** The largest answer of git, in bytes, because it is kept in memory. */
export const MAX_ANSWER_BYTES: number = 256 * 1024 * 1024;

/** The number of commits that are offered to the other machine, which answers which of them it has. */
export const MAX_OFFERED_COMMITS = 2_000;
