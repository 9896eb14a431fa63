/**
 * Changes to native sessions: fork, rename, repair, append, relocate, delete and restore.
 *
 * Promises: a new state is read back before it is placed; the old file stays until the new one is in place.
 * Does not know: the format of any agent, or how a result is shown.
 */

export { firstDifference } from "./compare-fork.ts";
export {
  emptyTrash,
  listTrashedSessions,
  restoreNativeSession,
  type TrashPlaces,
  trashNativeSession,
  trashProblems,
} from "./delete.ts";
export { type ForkedSession, type ForkOptions, forkNativeSession } from "./fork.ts";
export { type ReturnedSession, type ReturnOptions, returnHiddenSession } from "./hidden-sessions.ts";
export { refuseOpen } from "./live.ts";
export { settleBeforeReading, settleUnfinished } from "./locking/index.ts";
export {
  type RelocatedAgent,
  type RelocatedProject,
  type RelocateOptions,
  relocateProject,
} from "./relocate.ts";
export { renameNativeSession } from "./rename.ts";
export { repairNativeSession } from "./repair.ts";
export type { RepairOptions, SessionRepair } from "./repair-result.ts";
export { type RestoreCopyOptions, type RestoredCopy, restoreGuardedSession } from "./restore-copy.ts";
export { openSessionAdapter, type SessionAdapterOptions } from "./session-adapter.ts";
