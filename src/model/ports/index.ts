/**
 * The ports: what Continuo asks of a store and of an agent, as types. Engines and drivers implement them,
 * everything else is given one.
 *
 * Promises: types and small tables alone. Knows nothing of engines.
 */

export {
  type Agent,
  type AgentCapabilities,
  type AgentRequest,
  type AgentResult,
  type AgentTranscript,
  type ExecuteOptions,
  NO_CAPABILITIES,
  type SessionCapabilities,
} from "./agent.ts";
export type {
  AgentEvent,
  AgentEventType,
  PermissionDecision,
  PermissionOption,
  PermissionRequest,
} from "./agent-events.ts";
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
  Coordination,
  Cursor,
  CursorName,
  Lease,
  LeaseName,
  LeaseOptions,
  Producer,
  Snapshot,
} from "./coordination.ts";
export type {
  AgentDriver,
  AgentSession,
  Conversation,
  OnMissing,
  OpenConversation,
  PermissionPolicy,
} from "./drivers.ts";
export {
  type CreatedLog,
  type DeletedLog,
  EVENTS_MEDIA_TYPE,
  type EventPage,
  type ForkOptions,
  type ForkPoint,
  type ListLogsOptions,
  type Log,
  type LogPage,
  type LogReader,
  type NewLog,
  type PruneOptions,
  type ReadOptions,
  type RedactOptions,
  type TailOptions,
  type VerifyResult,
} from "./logs.ts";
export type { CallOptions, Page, PageOptions } from "./page.ts";
export type { Resumption, ResumptionStep, VerifiedBy } from "./resumption.ts";
export {
  type ClaimRunOptions,
  type ListRunsOptions,
  type NewRun,
  RUN_STATUSES,
  RUN_TRANSITIONS,
  type Run,
  type RunPatch,
  type RunStatus,
  type RunStore,
  type TransitionOptions,
} from "./runs.ts";
export type { ListSessionsOptions, NewSession, Session, SessionPatch, SessionStore } from "./sessions.ts";
export type { AppendOptions, Store, StoreInfo } from "./store.ts";
export type {
  ClaimWrite,
  CloseWrite,
  CursorWrite,
  LeaseReleaseWrite,
  NewRunWrite,
  ProducerWrite,
  RunWrite,
  SessionWrite,
  SnapshotWrite,
  Write,
  WriterSequenceWrite,
} from "./writes.ts";
