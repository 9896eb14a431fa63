/**
 * The lock of an edit of a native session.
 *
 * Promises: one edit of a file at a time, and no edit of a session that a conversation of Continuo has open.
 * Does not know: what is edited, or whether the agent itself has the session open.
 */

export { fileOf, lockedForEdit, lockForEdit } from "./lock.ts";
