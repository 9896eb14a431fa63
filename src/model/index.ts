/**
 * The words of Continuo as types, and what every floor above needs to speak them: agents, messages,
 * sessions, problems, errors.
 *
 * Promises: pure. Knows nothing of files, processes, clocks, networks, or any one agent's format.
 */

export { AGENT_NAMES, type AgentName, isAgentName } from "./agent.ts";
export {
  ContinuoError,
  ERROR_KINDS,
  type ErrorCode,
  type ErrorParts,
  exitCodeOf,
  httpStatusOf,
  isContinuoError,
} from "./errors.ts";
export {
  type Actor,
  EVENT_KINDS,
  EVENT_TYPES,
  type EventKind,
  type EventType,
  eventsDocument,
  FIELD_KINDS,
  type FieldKind,
  type FromShape,
  fieldOf,
  isEvent,
  isEventType,
  type KnownEvent,
  type NewEvent,
  type Payload,
  payloadProblem,
  type Retention,
  retentionOf,
  type Shape,
  type StoredEvent,
  type Tombstone,
  type TranscriptUse,
} from "./events/index.ts";
export { CHAIN_START, type ChainedEvent, chainHash, payloadHash, type Sha256 } from "./hashes.ts";
export { createIds, type IdSource } from "./ids.ts";
export { canonicalJson, JSON_DEPTH_LIMIT, type JsonText, toJsonText, toWellFormed } from "./json.ts";
export {
  type Block,
  type FileBlock,
  type ImageBlock,
  type Message,
  type MessageMetadata,
  type Origin,
  type RecordPlace,
  type Role,
  type TextBlock,
  type ThinkingBlock,
  type ToolCallBlock,
  type ToolResultBlock,
  type ToolStatus,
  textOf,
  type UnknownBlock,
  type Usage,
} from "./message.ts";
export * from "./ports/index.ts";
export {
  adviceFor,
  PROBLEM_KINDS,
  type Problem,
  type ProblemCode,
  type Severity,
  severityOf,
} from "./problem.ts";
export type {
  Entry,
  Leaf,
  NativeRef,
  ReadableRef,
  SessionDetails,
  SessionInfo,
  SubagentInfo,
} from "./session.ts";
