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
export { placesOfThisUser } from "./environment.ts";
export { type ForkedSession, type ForkOptions, forkNativeSession } from "./fork.ts";
export { type HandOff, type HandOffOptions, handOff } from "./hand-off.ts";
export { handOffMessages, type SaidElsewhere } from "./hand-off-messages.ts";
export {
  type MaxLoss,
  type Outcome,
  RECEIPT_KINDS,
  type Receipt,
  type ReceiptKind,
  type ReceiptRecord,
} from "./handoff/index.ts";
export {
  findSessions,
  type ListOptions,
  listNativeSessions,
  listSessions,
  type SessionList,
} from "./list.ts";
export { type AllSessions, type ListAllOptions, listAllSessions, type ToldSession } from "./list-all.ts";
export { type Lookup, type LookupOptions, lookUpSession, type SessionRef } from "./lookup.ts";
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
export { continuoHome, HOME_VARIABLES } from "./reader/index.ts";
export { READABLE_AGENTS, readerOf } from "./readers.ts";
export { renameNativeSession } from "./rename.ts";
export { type RepairOptions, repairNativeSession, type SessionRepair } from "./repair.ts";
export type { RepairEdit } from "./repairing/index.ts";
export { resumeCommandOf } from "./resume-command.ts";
export { openRunAgent, type RunAgentOptions, replayWriterOf } from "./run-agent.ts";
export { keepSafe } from "./safe-keeping.ts";
export { openSessionAdapter, type SessionAdapterOptions } from "./session-adapter.ts";
export { type TrashedSession, trashFolder } from "./trash/index.ts";
export type { AgentPrograms, Verification } from "./verify.ts";
export { type WriteSessionOptions, type WrittenSession, writeNativeSession } from "./write-session.ts";
