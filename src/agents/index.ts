/**
 * The native sessions of agents: found, listed, read and checked through one model.
 *
 * Promises: reading never writes, not a byte and not a time stamp; no agent is started; an unknown record
 * is kept verbatim; what is odd is a problem with its place; what is deleted can be restored byte for byte.
 * Does not know: runs, channels, the store, or how anything is shown.
 */

export type {
  AdapterFormat,
  ImageInput,
  SessionAdapter,
  SessionMetadata,
} from "./adapter/index.ts";
export {
  type MaxLoss,
  type Outcome,
  RECEIPT_KINDS,
  type Receipt,
  type ReceiptKind,
  type ReceiptRecord,
} from "./converting/index.ts";
export {
  emptyTrash,
  listTrashedSessions,
  restoreNativeSession,
  type TrashPlaces,
  trashNativeSession,
} from "./delete.ts";
export {
  type AgentOptions,
  type AskPermission,
  type DrivenAgent,
  type DriverLimits,
  PERMISSION_POLICIES,
  type PermissionPolicy,
  type PolicyOptions,
  permissionsBy,
  toAgent,
} from "./driver/index.ts";
export { type ForkedSession, type ForkOptions, forkNativeSession } from "./fork.ts";
export {
  type AgentPrograms,
  type HandOff,
  type HandOffOptions,
  handOff,
  handOffMessages,
  type SaidElsewhere,
  type Verification,
  type WriteSessionOptions,
  type WrittenSession,
  writeNativeSession,
} from "./handoff/index.ts";
export { type AllSessions, type ListAllOptions, listAllSessions, type ToldSession } from "./list-all.ts";
export {
  findSessions,
  type ListOptions,
  type Lookup,
  type LookupOptions,
  listNativeSessions,
  listSessions,
  lookUpSession,
  placesOfThisUser,
  READABLE_AGENTS,
  readerOf,
  resumeCommandOf,
  type SessionList,
  type SessionRef,
} from "./lookup/index.ts";
export { type OpenAgentOptions, openAgent } from "./open-agent.ts";
export { type AgentProgram, findAgentProgram, keepCapabilities } from "./program.ts";
export {
  checkFoundSession,
  checkNativeSession,
  type NativeSession,
  openNativeSession,
  type ReadOptions,
  readNativeDetails,
  readNativeSession,
  type SessionCheck,
} from "./read.ts";
export type { FoundSession, HistoryOptions, OpenedSession, OpenOptions, Places } from "./reader/index.ts";
export { continuoHome, HOME_VARIABLES, toGivenTitle } from "./reader/index.ts";
export { renameNativeSession } from "./rename.ts";
export { repairNativeSession } from "./repair.ts";
export type { RepairOptions, SessionRepair } from "./repair-result.ts";
export type { RepairEdit } from "./repairing/index.ts";
export { openRunAgent, type RunAgentOptions, replayWriterOf } from "./run-agent.ts";
export { keepSafe } from "./safe-keeping.ts";
export { openSessionAdapter, type SessionAdapterOptions } from "./session-adapter.ts";
export { type TrashedSession, trashFolder } from "./trash/index.ts";
