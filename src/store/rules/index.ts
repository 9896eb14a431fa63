/**
 * The rules of the log, written once for every engine: what may be written, in which order it is checked,
 * and what it changes, as generators that yield statements.
 *
 * Promises: pure but for the clock that stamps events and the ids that the scope makes. Knows nothing of
 * connections, files, waiting or retries.
 */

export { type AppendRequest, append, checkAppend } from "./append.ts";
export { type BlobRow, collectPage, findBlob, insertBlob, type NewBlob, toBlobInfo } from "./blobs.ts";
export { getClaim, listClaims } from "./claims.ts";
export { commitCursor, getCursor, listCursors, resetCursor } from "./cursors.ts";
export {
  type NumberedEvent,
  numberEvent,
  prepareEvents,
} from "./events.ts";
export { type Counts, countAll } from "./info.ts";
export { acquireLease, DEFAULT_LEASE_MS, getLease, releaseLease, renewLease } from "./leases.ts";
export { endMark, listLogs, mustEndMark } from "./list-logs.ts";
export { openLog } from "./log-rows.ts";
export { closeLog, createLog, deleteLog, getLog, listDeletedLogs, removeExpired, touchLog } from "./logs.ts";
export { findProducer, toProducer } from "./producers.ts";
export { PRUNE_PAGE, prunePage, redact } from "./prune.ts";
export { type ReadRequest, read } from "./read.ts";
export {
  assertName,
  assertSequence,
  assertText,
  assertTime,
  invalid,
  isoOf,
  notFound,
  tooLarge,
} from "./refusals.ts";
export { expiredLogs } from "./removal.ts";
export { claimNextRun, createRun, getRun, listRuns, transitionRun } from "./runs.ts";
export { createSession, deleteSession, getSession, listSessions, updateSession } from "./sessions.ts";
export { deleteSnapshots, getLatestSnapshot, putSnapshot } from "./snapshots.ts";
export { BEGIN, type Verification, verifyPage } from "./verify.ts";
