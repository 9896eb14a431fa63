/**
 * The front door of a program: one object that opens the store, recovers what a crash left, runs agents on sessions,
 * streams what they do, and asks people for approvals.
 *
 * Promises: a message that was sent is durable and answered once, even after a crash; a reader of a run sees each of
 * its events once; an approval is answered once, from any process; nothing is loaded before it is opened.
 * Does not know: HTTP servers, models, the rules of the store.
 */

export { type CodingOptions, coding, type DefineAgentOptions, defineAgent } from "./agents.ts";
export type {
  Approval,
  ApprovalAnswer,
  ApprovalStatus,
  Approvals,
  ListApprovalsOptions,
} from "./approval-types.ts";
export type {
  ChannelHandle,
  ChannelJoinOptions,
  ChannelMessagesOptions,
  ChannelPostOptions,
  MissedInChannel,
  PostedMessage,
} from "./channel.ts";
export type { Chat, ChatEventsOptions } from "./chat.ts";
export {
  type DefinedEvent,
  type DefineEventOptions,
  defineEvent,
  type StandardSchema,
} from "./define-event.ts";
export { toErrorResponse } from "./error-response.ts";
export type { DailyTime } from "./every-day.ts";
export { type Failure, type FailureText, failureOf } from "./failure-text.ts";
export { unknownCaller } from "./handler.ts";
export {
  type ImportLeftOut,
  type ImportSessionOptions,
  importNativeSession,
  type SessionImport,
} from "./import-session.ts";
export { type ImportSessionsOptions, importNativeSessions } from "./import-sessions.ts";
export { openContinuo } from "./open.ts";
export { patternsOf } from "./rights.ts";
export { shownEvents } from "./run.ts";
export { isKnownEvent } from "./run-events.ts";
export { streamResponse } from "./sse.ts";
export type {
  AgentDefinition,
  AppendOptions,
  Authorization,
  Continuo,
  ContinuoOptions,
  DeadLetter,
  EventsOptions,
  FetchHandler,
  HandlerOptions,
  LeftOutInput,
  ListDeadLettersOptions,
  Names,
  QueueState,
  ReplayedRun,
  ReplayOptions,
  ResumeChatOptions,
  RunHandle,
  RunOutcome,
  SendOptions,
  SentRun,
  SessionHandle,
  SessionOptions,
  SseOptions,
  StopOptions,
  ToolCall,
  WorkOptions,
} from "./types.ts";
export { createUIFold, type UIChunk, type UIFold } from "./ui-chunks.ts";
