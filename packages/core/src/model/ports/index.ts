/**
 * The ports: what Continuo requires of a store, an agent and a driver, as types.
 *
 * Promises: types and small tables only. Stores and drivers implement them; every other room receives an
 * implementation.
 * Does not know: any implementation.
 */

export type {
  AccessStore,
  IssuedToken,
  NamedKind,
  NamedRight,
  NewToken,
  NewWebhookKey,
  Token,
  WebhookKey,
} from "./access.ts";
export {
  type Agent,
  type AgentCapabilities,
  type AgentRequest,
  type AgentResult,
  type AgentTranscript,
  capabilitiesOf,
  completedStatus,
  type ExecuteOptions,
  isTurnComplete,
  MAX_STEPS_REACHED,
  NO_CAPABILITIES,
  type SessionCapabilities,
  type ToolOffer,
} from "./agent.ts";
export type {
  AgentEvent,
  AgentEventType,
  AskPermission,
  PermissionDecision,
  PermissionOption,
  PermissionRequest,
} from "./agent-events.ts";
export {
  AUDIT_ACTS,
  type AuditAct,
  type AuditEntry,
  type AuditStore,
  type ListAuditOptions,
  type NewAuditEntry,
  type Principal,
} from "./audit.ts";
export type {
  BlobBodies,
  BlobInfo,
  BlobSource,
  BlobStore,
  CollectOptions,
  OpenedBlob,
  PutBlobOptions,
} from "./blobs.ts";
export type {
  Claim,
  ClaimWrite,
  Coordination,
  Cursor,
  Lease,
  ListedLease,
  Producer,
  Snapshot,
} from "./coordination.ts";
export type {
  AgentCommand,
  AgentDriver,
  ContextUse,
  Conversation,
  DriverSession,
  EditorPort,
  OnMissing,
  OpenConversation,
  PermissionPolicy,
  Restriction,
  ToolServer,
} from "./drivers.ts";
export {
  type CountOptions,
  type CreatedLog,
  type DeletedLog,
  EVENTS_MEDIA_TYPE,
  type EventPage,
  type JoinedPage,
  type Log,
  type LogPage,
  type LogReader,
  type MediaOptions,
  type MediaPage,
  type NewLog,
  type PruneOptions,
  type ReadJoinedOptions,
  type ReadOptions,
  type TailOptions,
  type VerifyResult,
} from "./logs.ts";
export type { CallOptions, Page } from "./page.ts";
export type { ReplayForm, Resumption, ResumptionStep, VerifiedBy } from "./resumption.ts";
export {
  isRunPriority,
  MAX_RUN_PRIORITY,
  type NewRun,
  RUN_END_STATUSES,
  RUN_EVENTS,
  RUN_STATUSES,
  RUN_TRANSITIONS,
  type Run,
  type RunPatch,
  type RunStatus,
  type RunStore,
} from "./runs.ts";
export type { ListSessionsOptions, NewSession, Session, SessionPatch, SessionStore } from "./sessions.ts";
export type { AppendOptions, Store, StoreInfo } from "./store.ts";
export type {
  ProducerWrite,
  RunWrite,
  Write,
} from "./writes.ts";
