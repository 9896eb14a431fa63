/**
 * The one table of event types. Types, validation, retention and `docs/events.md` come from it, and the
 * transcript folds by it. A type that is not here is kept as it is.
 *
 * To add a type, add a row; code that does not handle it no longer compiles, or its test fails.
 */

import type { FieldKind } from "./fields.ts";
import { LIVE_EVENT_TYPES } from "./live-table.ts";

/**
 * The use of an event in a transcript. `message`: a message of its `role`; `chunk`: a part of a streamed message;
 * `tool`: a tool message; `usage`: numbers in the metadata; `state`: a field of the metadata; `note`: a remark that the
 * model sees; `nothing`: left out of the transcript, but not of the log.
 */
export type TranscriptUse = "message" | "chunk" | "tool" | "usage" | "state" | "note" | "nothing";

/** A row of the table. Keys of `payload` that end in `?` may be absent. */
export interface EventKind {
  readonly area: string;
  readonly says: string;
  readonly payload: Readonly<Record<string, FieldKind>>;
  readonly retention: "critical" | "supplementary";
  readonly role?: "system" | "user" | "assistant" | "tool";
  readonly transcript: TranscriptUse;
}

const SESSION_EVENT_TYPES = {
  message_sent: {
    area: "messages",
    says: "A message to the agent. Its role is `user` if the payload has none.",
    payload: { content: "content", "role?": "role", "messageId?": "text", "metadata?": "object" },
    retention: "critical",
    role: "user",
    transcript: "message",
  },
  message_received: {
    area: "messages",
    says: "A message of the agent. It replaces the streamed chunks that have the same messageId.",
    payload: {
      content: "content",
      "messageId?": "text",
      "model?": "text",
      "usage?": "usage",
      "stopReason?": "text",
      "metadata?": "object",
    },
    retention: "critical",
    role: "assistant",
    transcript: "message",
  },
  message_streamed: {
    area: "messages",
    says: "A part of what the agent is saying; at most one per 50 ms or 4 KB.",
    payload: { delta: "text", messageId: "text", "kind?": "text" },
    retention: "supplementary",
    role: "assistant",
    transcript: "chunk",
  },
  message_updated: {
    area: "messages",
    says: "The content of a message was replaced.",
    payload: { messageId: "text", content: "content", "metadata?": "object" },
    retention: "critical",
    transcript: "message",
  },
  message_completed: {
    area: "messages",
    says: "A message that was sent in parts is complete.",
    payload: { messageId: "text", "content?": "content" },
    retention: "critical",
    transcript: "state",
  },
  tool_call_started: {
    area: "tools",
    says: "The agent called a tool.",
    payload: { toolCallId: "text", toolName: "text", "toolInput?": "any", "messageId?": "text" },
    retention: "critical",
    role: "assistant",
    transcript: "tool",
  },
  tool_call_updated: {
    area: "tools",
    says: "A tool reported its progress.",
    payload: { toolCallId: "text", "status?": "text", "content?": "any" },
    retention: "supplementary",
    transcript: "nothing",
  },
  tool_call_completed: {
    area: "tools",
    says: "A tool returned.",
    payload: { toolCallId: "text", "toolOutput?": "any", "toolName?": "text" },
    retention: "critical",
    role: "tool",
    transcript: "tool",
  },
  tool_call_failed: {
    area: "tools",
    says: "A tool failed, was denied, cancelled or interrupted (`status`).",
    payload: { toolCallId: "text", "error?": "any", "status?": "text", "toolName?": "text" },
    retention: "critical",
    role: "tool",
    transcript: "tool",
  },
  token_usage_updated: {
    area: "usage",
    says: "Tokens and cost of one model call, or their sum so far (`total`).",
    payload: { "usage?": "usage", "total?": "usage", "model?": "text", "costUsd?": "number" },
    retention: "critical",
    transcript: "usage",
  },
  turn_completed: {
    area: "usage",
    says: "The agent ended its turn.",
    payload: { "stopReason?": "text", "usage?": "usage" },
    retention: "critical",
    transcript: "state",
  },
  budget_exceeded: {
    area: "usage",
    says: "A run reached a limit of its budget.",
    payload: { limit: "text", "value?": "number", "allowed?": "number" },
    retention: "critical",
    transcript: "note",
  },
  session_created: {
    area: "sessions",
    says: "The session began. Written by `createSession`, together with its row.",
    payload: {
      "title?": "text",
      "agent?": "text",
      "cwd?": "text",
      "metadata?": "object",
      "forkedFrom?": "object",
    },
    retention: "critical",
    transcript: "state",
  },
  session_updated: {
    area: "sessions",
    says: "Fields of the session changed. Written by `updateSession`.",
    payload: { "title?": "any", "status?": "text", "agent?": "any", "cwd?": "any", "metadata?": "object" },
    retention: "critical",
    transcript: "state",
  },
  session_resumed: {
    area: "sessions",
    says: "A session was continued. It has the requested way, the way that was used, who confirmed it, and the content that was left out.",
    payload: {
      requested: "any",
      happened: "text",
      "reason?": "text",
      "ref?": "object",
      "omitted?": "object",
    },
    retention: "critical",
    transcript: "state",
  },
  session_handed_over: {
    area: "sessions",
    says: "The session was written as a native session of another agent.",
    payload: { from: "object", to: "object", "receipt?": "object" },
    retention: "critical",
    transcript: "state",
  },
  session_state_changed: {
    area: "sessions",
    says: "A continuous session changed its state or its back-pressure level.",
    payload: { state: "text", "from?": "text", "reason?": "text", "level?": "text" },
    retention: "critical",
    transcript: "state",
  },
  session_closed: {
    area: "sessions",
    says: "The session ended.",
    payload: { "reason?": "text" },
    retention: "critical",
    transcript: "state",
  },
  run_created: {
    area: "runs",
    says: "A run was requested. Its input is stored here before any agent is called.",
    payload: {
      runId: "text",
      "input?": "any",
      "agent?": "text",
      "metadata?": "object",
      "priority?": "number",
    },
    retention: "critical",
    transcript: "nothing",
  },
  run_started: {
    area: "runs",
    says: "A run began.",
    payload: { runId: "text", "owner?": "text", "attempt?": "number" },
    retention: "critical",
    transcript: "nothing",
  },
  run_cancel_requested: {
    area: "runs",
    says: "Somebody asked that a run be cancelled; its owner reads it from the log.",
    payload: { runId: "text", "reason?": "text" },
    retention: "critical",
    transcript: "nothing",
  },
  run_completed: {
    area: "runs",
    says: "A run ended well.",
    payload: { runId: "text", "result?": "any", "usage?": "usage" },
    retention: "critical",
    transcript: "state",
  },
  run_failed: {
    area: "runs",
    says: "A run ended with an error.",
    payload: { runId: "text", "error?": "any", "usage?": "usage" },
    retention: "critical",
    transcript: "note",
  },
  run_cancelled: {
    area: "runs",
    says: "A run was cancelled.",
    payload: { runId: "text", "reason?": "text", "usage?": "usage" },
    retention: "critical",
    transcript: "note",
  },
  run_timed_out: {
    area: "runs",
    says: "A run took longer than it was allowed to.",
    payload: { runId: "text", "timeoutMs?": "number", "usage?": "usage" },
    retention: "critical",
    transcript: "note",
  },
  run_interrupted: {
    area: "runs",
    says: "A run ended because its process ended.",
    payload: { runId: "text", "reason?": "text" },
    retention: "critical",
    transcript: "note",
  },
  approval_requested: {
    area: "approvals",
    says: "The agent asked for permission.",
    payload: {
      approvalId: "text",
      "toolCallId?": "text",
      "toolName?": "text",
      "toolInput?": "any",
      "title?": "text",
      "options?": "list",
    },
    retention: "critical",
    transcript: "state",
  },
  approval_resolved: {
    area: "approvals",
    says: "Permission was granted or denied, by a person, a policy or a time limit.",
    payload: { approvalId: "text", outcome: "text", "by?": "text", "reason?": "text" },
    retention: "critical",
    transcript: "state",
  },
  error_raised: {
    area: "errors",
    says: "Something failed that did not end a run.",
    payload: { message: "text", "code?": "text", "details?": "object" },
    retention: "critical",
    transcript: "note",
  },
  plan_updated: {
    area: "agent",
    says: "The agent's plan.",
    payload: { entries: "list" },
    retention: "supplementary",
    transcript: "nothing",
  },
  mode_changed: {
    area: "agent",
    says: "The agent works in another mode or with another model, or offers its model other tools. `tools` is the new list: each has a `name`, and perhaps a `description` and an `inputSchema`. `toolsLeftOut` counts tools that are not in it, because they are too many or too large.",
    payload: { "mode?": "text", "model?": "text", "tools?": "list", "toolsLeftOut?": "number" },
    retention: "critical",
    transcript: "state",
  },
  diagnostics_reported: {
    area: "agent",
    says: "What the agent's program said about itself.",
    payload: { "message?": "text", "details?": "any" },
    retention: "supplementary",
    transcript: "nothing",
  },
  message_interrupted: {
    area: "channels",
    says: "The writer of a message disappeared before it was complete. Written by the server, with the text so far.",
    payload: { messageId: "text", "content?": "content", "reason?": "text" },
    retention: "critical",
    transcript: "nothing",
  },
  message_edited: {
    area: "channels",
    says: "The author of a complete message replaced its content.",
    payload: { messageId: "text", content: "content" },
    retention: "critical",
    transcript: "message",
  },
  message_deleted: {
    area: "channels",
    says: "A message was hidden from everybody. Its text stays in the log until it is redacted.",
    payload: { messageId: "text", "handle?": "text", "messageSequence?": "number", "reason?": "text" },
    retention: "critical",
    transcript: "message",
  },
  reaction_added: {
    area: "channels",
    says: "A participant reacted to a message.",
    payload: { messageId: "text", reaction: "text", "handle?": "text" },
    retention: "supplementary",
    transcript: "nothing",
  },
  reaction_removed: {
    area: "channels",
    says: "A participant took a reaction back.",
    payload: { messageId: "text", reaction: "text", "handle?": "text" },
    retention: "supplementary",
    transcript: "nothing",
  },
  method_called: {
    area: "channels",
    says: "A participant called a method of another one.",
    payload: { callId: "text", to: "text", method: "text", "args?": "any" },
    retention: "critical",
    transcript: "nothing",
  },
  method_answered: {
    area: "channels",
    says: "One result of a call; the last one is `done`.",
    payload: { callId: "text", "value?": "any", "done?": "flag" },
    retention: "critical",
    transcript: "nothing",
  },
  method_cancelled: {
    area: "channels",
    says: "The caller stopped waiting for the result.",
    payload: { callId: "text", "reason?": "text" },
    retention: "critical",
    transcript: "nothing",
  },
  history_cleared: {
    area: "channels",
    says: "A participant cleared its history: earlier events are not returned as history.",
    payload: {},
    retention: "critical",
    transcript: "nothing",
  },
  participant_joined: {
    area: "presence",
    says: "A participant joined a channel.",
    payload: { handle: "text", "name?": "text", "type?": "text", "metadata?": "object" },
    retention: "critical",
    transcript: "nothing",
  },
  participant_left: {
    area: "presence",
    says: "A participant left a channel.",
    payload: { handle: "text", "reason?": "text" },
    retention: "critical",
    transcript: "nothing",
  },
  presence_changed: {
    area: "presence",
    says: "A participant is typing, is away, or is back.",
    payload: { handle: "text", status: "text" },
    retention: "supplementary",
    transcript: "nothing",
  },
  custom: {
    area: "other",
    says: "Data of the application, whose kind is `name`.",
    payload: { name: "text", "value?": "any" },
    retention: "critical",
    transcript: "nothing",
  },
  bytes: {
    area: "other",
    says: "A record of a log of bytes, the only type there. Its data is a `Uint8Array`.",
    payload: {},
    retention: "critical",
    transcript: "nothing",
  },
} as const;

export const EVENT_TYPES: typeof SESSION_EVENT_TYPES & typeof LIVE_EVENT_TYPES = {
  ...SESSION_EVENT_TYPES,
  ...LIVE_EVENT_TYPES,
};
