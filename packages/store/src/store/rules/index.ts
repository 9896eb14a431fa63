/**
 * The rules of the log, written once for every engine, as generators that yield SQL statements.
 *
 * Promises: pure, except for the clock and the ids of the scope; checks run in the order
 * of the contract.
 * Does not know: connections, files, waiting, retries.
 */

export { type AppendRequest, append, checkAppend } from "./append.ts";
export { auditAfter, auditStatement, insertAudit, listAudit, newestAudit } from "./audit.ts";
export {
  type BlobRow,
  collectExpiredPage,
  collectPage,
  type ExpiredPage,
  type ExpiredPlace,
  findBlob,
  insertBlob,
  listBlobs,
  type NewBlob,
  setBlobExpiry,
  toBlobInfo,
} from "./blobs.ts";
export { deleteClaim, getClaim, listClaims, putClaim } from "./claims.ts";
export { type CountRequest, type Counts, countAll, countEvents } from "./count.ts";
export { commitCursor, getCursor, listCursors, resetCursor } from "./cursors.ts";
export {
  type NumberedEvent,
  numberEvent,
  prepareEvents,
} from "./events.ts";
export { readJoined } from "./joined-records.ts";
export { type EndedLeases, removeLeases } from "./lease-rows.ts";
export { acquireLease, DEFAULT_LEASE_MS, getLease, listLeases, releaseLease, renewLease } from "./leases.ts";
export { endMark, listLogs, mustEndMark } from "./list-logs.ts";
export { openLog } from "./log-rows.ts";
export { closeLog, createLog, deleteLog, getLog, listDeletedLogs, removeExpired, touchLog } from "./logs.ts";
export { type MediaRequest, readMedia } from "./media.ts";
export {
  FORGET_ALL_OBJECTS,
  forgetObject,
  giveUpObject,
  isObject,
  leftObjects,
  noteObject,
  takeWritten,
  type UnreferencedObject,
} from "./object-notes.ts";
export { findProducer, toProducer } from "./producers.ts";
export { PRUNE_SEQUENCES, prunePage, redact } from "./prune.ts";
export { type ReadRequest, read, readTail, tailOfRows } from "./read.ts";
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
export { expiredLogs, removeHidden } from "./removal.ts";
export { claimNextRun, createRun, getRun, listRuns, transitionRun } from "./runs.ts";
export { createSession, deleteSession, getSession, listSessions, updateSession } from "./sessions.ts";
export { deleteSnapshots, getLatestSnapshot, putSnapshot } from "./snapshots.ts";
export {
  findToken,
  getToken,
  insertToken,
  listTokens,
  listWorkspaces,
  removeTokens,
  revokeToken,
  toToken,
} from "./tokens.ts";
export { BEGIN, findOrphans, type Orphan, type Verification, verifyPage } from "./verify.ts";
export { listWebhookKeys, putWebhookKey, retireWebhookKey } from "./webhook-keys.ts";
