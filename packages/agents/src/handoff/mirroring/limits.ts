/** The limits of mirroring. */

/** Bytes that travel before they are acknowledged. */
export const BATCH_BYTES: number = 1024 * 1024;

/** Bytes of one file. */
export const MAX_FILE_BYTES: number = 8 * 1024 ** 3;

/** Between two looks at the files that are known. */
export const LOOK_MS = 250;

/** Between two searches for files that are new, such as those of sub-agents. */
export const SEARCH_MS = 5_000;

/** Between two copies of the rows of a session, which are sent as a whole. */
export const MIN_COPY_MS = 1_000;

/** A turn is over when nothing was written for so long. */
export const QUIET_MS = 2_000;

/** Between two looks at the work tree in which no turn ended; after one, so many times as long as it took. */
export const TREE_LOOK_MS = 30_000;
export const TREE_PAUSE = 10;

/** A last line without an end is sent when nobody wrote for so long: the session has it like that. */
export const SETTLED_MS = 2_000;

/** The other machine receives a line at least this often, so that it soon reports a session that was taken over. */
export const ALIVE_MS = 5_000;

/** After such a silence a machine is gone. */
export const SILENT_MS = 60_000;

/** Between two attempts to connect: the first, and the longest. */
export const RETRY_MS = 500;
export const MAX_RETRY_MS = 15_000;
