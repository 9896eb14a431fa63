/**
 * Locks of edits of native sessions, and the edits of killed processes, which are finished or undone before the next edit
 * begins or somebody reads.
 *
 * Promises: one edit of a file at a time, and no edit of a session that a conversation of Continuo has open; one process
 * settles at a time; edits of running processes are not touched.
 * Does not know: what is edited, the format of any agent, or whether the agent itself has the session open.
 */

export { fileOf, lockedForEdit, lockForEdit } from "./lock.ts";
export { settleBeforeReading, settleUnfinished } from "./settle.ts";
