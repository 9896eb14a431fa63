/**
 * Mirroring: the files of a session are sent to another machine while they grow, so that the session can continue there
 * when this machine is gone.
 *
 * Promises: what was acknowledged is on the other machine's disk; a cut connection continues where it ended; memory is
 * bounded by one batch; a session that was taken over there gets nothing more.
 * Does not know: how the two machines are connected, or how a session that left is marked.
 */

export { type FollowOptions, type FollowState, followSession } from "./follow.ts";
export type { RemoteTakeOver } from "./lines.ts";
export { type ReceiveMirrorOptions, receiveMirror } from "./receive-mirror.ts";
export { type TakenSession, type TakeOverOptions, takeOver } from "./take-over.ts";
