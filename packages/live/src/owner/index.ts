/**
 * Owners: which server owns a session, the owner's work on it, and the regular work of one server on all sessions.
 *
 * Promises: one server writes the decisions of a session; a session of a dead server gets another owner.
 * Does not know: HTTP, and the requests of clients.
 */

export { CleanUp } from "./clean-up.ts";
export { endSession } from "./end-session.ts";
export { LateNotes } from "./late-notes.ts";
export { NightlyReplay } from "./nightly-replay.ts";
export { isLiveUsed, Ownership, type SessionLease } from "./ownership.ts";
export { Removals } from "./removals.ts";
export { SessionOwner } from "./session-owner.ts";
export { deleteVideo } from "./video-deletion.ts";
