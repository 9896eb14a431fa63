/**
 * The public names of `continuo/agents`: native sessions, hand-overs, and drivers of agents.
 *
 * Promises: these names and their meaning stay.
 * Does not know: commands, servers, continuous sessions.
 */

export { continuoHome, type Places, placesOfThisUser } from "@continuo/files";
export {
  checkFoundSession,
  checkNativeSession,
  findNativeSessions,
  formatOf,
  HOME_VARIABLES,
  type ListOptions,
  type Lookup,
  type LookupOptions,
  listNativeSessions,
  lookUpSession,
  type NativeList,
  type NativeSession,
  openNativeSession,
  READABLE_AGENTS,
  type ReadOptions,
  readNativeDetails,
  readNativeList,
  readNativeSession,
  resumeCommandOf,
  type SessionCheck,
  type SessionRef,
} from "@continuo/native";
export {
  emptyTrash,
  type ForkedSession,
  type ForkOptions,
  forkNativeSession,
  listTrashedSessions,
  openSessionAdapter,
  type RepairOptions,
  renameNativeSession,
  repairNativeSession,
  restoreNativeSession,
  type SessionAdapterOptions,
  type SessionRepair,
  type TrashPlaces,
  trashNativeSession,
} from "@continuo/native/editing";
export type {
  AdapterFormat,
  ImageInput,
  SessionAdapter,
  SessionMetadata,
} from "@continuo/native/editing/append";
export { type TrashedSession, trashFolder } from "@continuo/native/editing/trash";
export { keepSafe } from "@continuo/native/gemini";
export {
  type FoundSession,
  type HistoryOptions,
  type OpenedSession,
  type OpenOptions,
  toGivenTitle,
} from "@continuo/native/kit";
export type { RepairEdit } from "@continuo/native/repairing";
export {
  type AgentSessionList,
  type ListAgentSessionsOptions,
  type ListedSession,
  type ListSessionsOfAgent,
  listAgentSessions,
  type ReportedSession,
  type ResumeOptions,
  type SessionsOfAgent,
  type SessionsOptions,
  sessionsOfAgent,
} from "./catalog/index.ts";
export {
  type AgentProgram,
  findAgentProgram,
  keepCapabilities,
  type OpenAgentOptions,
  openAgent,
} from "./drivers/index.ts";
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
} from "./drivers/link/index.ts";
export {
  type MaxLoss,
  type Outcome,
  RECEIPT_KINDS,
  type Receipt,
  type ReceiptKind,
  type ReceiptRecord,
} from "./handoff/converting/index.ts";
export {
  type AgentPrograms,
  type HandOff,
  type HandOffContent,
  type HandOffOptions,
  handOff,
  handOffMessages,
  openRunAgent,
  type RunAgentOptions,
  replayWriterOf,
  type Verification,
  type WriteSessionOptions,
  type WrittenSession,
  writeNativeSession,
} from "./handoff/index.ts";
