/**
 * `continuo/client`: a participant of a channel, and a page in the chat of a session, in Node and in browsers.
 *
 * Promises: within one `connect()` every event of the channel arrives exactly once, over any number of lost
 * connections; a confirmed write is stored; memory is bounded however slow the reader is; no `node:` import.
 * Does not know: how the server stores anything, agents, terminals.
 */

export type {
  Attachment,
  ChannelMessage,
  ClaimedInput,
  HistoryItem,
  Participant,
  ReplayMode,
  SessionStatus,
} from "../wire/index.ts";
export type { AnswerInput, AnswerResult, AnswerWords } from "./answer.ts";
export type { CallOptions, MethodCall } from "./calls.ts";
export {
  type ChatListMessage,
  type ChatQuestion,
  type OpenChatOptions,
  type OpenedChat,
  openChat,
  type QuestionAnswer,
} from "./chat/index.ts";
export type { AgenticClient } from "./client.ts";
export type { EventsOptions, SendOptions } from "./client-options.ts";
export { type ChannelWatch, type ConnectOptions, connect, type WatchOptions, watch } from "./connect.ts";
export type {
  ClientEvent,
  CompleteEvent,
  DeletedEvent,
  EditedEvent,
  ErrorEvent,
  MessageEvent,
  MethodCallEvent,
  MethodCancelEvent,
  MethodResultEvent,
  PresenceEvent,
  ReactionEvent,
  UpdateEvent,
} from "./events.ts";
export { type MissedMessage, missedAfter } from "./missed-collector.ts";
export {
  type FormatMessagesOptions,
  formatMessages,
  type MissedContext,
  type MissedContextOptions,
  quotedMessages,
} from "./missed-context.ts";
export { type OpenChannelOptions, type OpenedChannel, openChannel } from "./open-channel.ts";
