/** The limits of mirroring. */

/** The number of bytes that are sent before the other machine must acknowledge them. */
export const BATCH_BYTES: number = 1024 * 1024;

/** The greatest size of one file, in bytes. */
export const MAX_FILE_BYTES: number = 8 * 1024 ** 3;

/** The time between two checks of the known files. */
export const LOOK_MS = 250;

/** The time between two searches for new files, such as those of sub-agents. */
export const SEARCH_MS = 5_000;

/** The least time between two copies of the rows of a session, which are sent as a whole. */
export const MIN_COPY_MS = 1_000;

/** A turn has ended when nothing was written for this time. */
export const QUIET_MS = 2_000;

/**
 * The time between two checks of the work tree if no turn ends. The pause after a check is at least `TREE_PAUSE` times
 * as long as the check took.
 */
export const TREE_LOOK_MS = 30_000;
export const TREE_PAUSE = 10;

/**
 * A last line without a line end is sent when nothing was written for this time: the session then really ends without
 * a line end.
 */
export const SETTLED_MS = 2_000;

/** The other machine receives a line at least this often, so that it soon reports a session that was taken over. */
export const ALIVE_MS = 5_000;

/** After a silence of this time the other machine counts as gone. */
export const SILENT_MS = 60_000;

/** The first and the longest pause between two attempts to connect. */
export const RETRY_MS = 500;
export const MAX_RETRY_MS = 15_000;
