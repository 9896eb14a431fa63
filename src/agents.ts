/** The public names of `continuo/agents`: native sessions, hand-overs, and drivers of agents. */

export {
  type AgentSessions,
  type AllSessions,
  type ListAllOptions,
  type ListedSession,
  type ListSessionsOfAgent,
  listAllSessions,
  type ReportedSession,
  type ResumeOptions,
  type SessionsOptions,
  sessions,
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
export type { AdapterFormat, ImageInput, SessionAdapter, SessionMetadata } from "./editing/append/index.ts";
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
} from "./editing/index.ts";
export { type TrashedSession, trashFolder } from "./editing/trash/index.ts";
export { continuoHome, type Places, placesOfThisUser } from "./files/index.ts";
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
  type HandOffOptions,
  handOff,
  handOffMessages,
  openRunAgent,
  type RunAgentOptions,
  replayWriterOf,
  type SaidElsewhere,
  type Verification,
  type WriteSessionOptions,
  type WrittenSession,
  writeNativeSession,
} from "./handoff/index.ts";
export { keepSafe } from "./native/gemini/index.ts";
export {
  checkFoundSession,
  checkNativeSession,
  findSessions,
  formatOf,
  HOME_VARIABLES,
  type ListOptions,
  type Lookup,
  type LookupOptions,
  listNativeSessions,
  listSessions,
  lookUpSession,
  type NativeSession,
  openNativeSession,
  READABLE_AGENTS,
  type ReadOptions,
  readNativeDetails,
  readNativeSession,
  resumeCommandOf,
  type SessionCheck,
  type SessionList,
  type SessionRef,
} from "./native/index.ts";
export {
  type FoundSession,
  type HistoryOptions,
  type OpenedSession,
  type OpenOptions,
  toGivenTitle,
} from "./native/kit/index.ts";
export type { RepairEdit } from "./native/repairing/index.ts";
