/** The limits of mirroring. */

/** Bytes that travel before they are acknowledged. */
export const BATCH_BYTES: number = 1024 * 1024;

/** Bytes of one file. */
export const MAX_FILE_BYTES: number = 8 * 1024 ** 3;

/** The time between two checks of the known files. */
export const LOOK_MS = 250;

/** The time between two searches for new files, such as those of sub-agents. */
export const SEARCH_MS = 5_000;

/** The time between two copies of the rows of a session, which are sent as a whole. */
export const MIN_COPY_MS = 1_000;

/** A turn has ended when nothing was written for this time. */
export const QUIET_MS = 2_000;

/**
 * The time between two checks of the work tree without the end of a turn; after a check, the pause is a multiple of its
 * duration.
 */
export const TREE_LOOK_MS = 30_000;
export const TREE_PAUSE = 10;

/**
 * A last line without a line end is sent when nothing was written for this time, because the session then ends in this
 * way.
 */
export const SETTLED_MS = 2_000;

/** The other machine receives a line at least this often, so that it soon reports a session that was taken over. */
export const ALIVE_MS = 5_000;

/** After a silence of this time the other machine counts as gone. */
export const SILENT_MS = 60_000;

/** The first and the longest pause between two attempts to connect. */
export const RETRY_MS = 500;
export const MAX_RETRY_MS = 15_000;
