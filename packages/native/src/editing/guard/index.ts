/**
 * The guard: copies of the sessions that agents delete by themselves, taken before they do.
 *
 * Promises: a session that was stored can be restored until the person's limits remove its copy; after a kill or on a
 * full disk, either the old copy or the new one remains; changes of a piece or a manifest by another program are
 * detected; no file of an agent is written.
 * Does not know: the rules of any agent (`retention` of its format), or when it runs.
 */

export { findCopy, layCopyInTrash, type TrashedCopy } from "./bring-back.ts";
export {
  type AgentRule,
  type DueSession,
  type DueSessions,
  endsWithin,
  findDueSessions,
} from "./due-sessions.ts";
export {
  changeGuardSettings,
  type GuardSettings,
  guardFolder,
  openedFolder,
  readGuardSettings,
  type SessionKey,
} from "./folder.ts";
export { type OpenedCopy, openCopy } from "./lay-out.ts";
export { type GuardedSession, readLedger } from "./ledger.ts";
export type { GuardManifest, StoredFile, StoredState } from "./manifest.ts";
export { copyRow, markToForget, onlyCopies } from "./only-copies.ts";
export {
  DELETING_AGENTS,
  type GuardRun,
  type GuardRunOptions,
  type NamedSession,
  runGuard,
  totalOf,
} from "./run.ts";
export { type GuardVerification, verifyGuard } from "./verify.ts";
