/**
 * The events of a turn of an agent as entries of the log: one row for each type, so that a new type needs a
 * decision. Pure: the journal decides who stores the events, and when.
 */

import type { AgentEvent, AgentEventType, Block } from "@continuo/core/model";
import { present } from "@continuo/core/model";
import type { JournalEntry } from "./entry.ts";
import { LIMITS } from "./limits.ts";
import {
  closeMessage,
  closeOthers,
  createSpeech,
  journalPart,
  messageOfCall,
  type Speech,
  sayPart,
  sayWhole,
} from "./speech.ts";
import { countUsage, type UsageSums } from "./usage.ts";

export interface TurnJournal {
  readonly speech: Speech;
  /** Names of the calls that have no result yet. */
  readonly calls: Map<string, string>;
  usage: UsageSums;
  toolCalls: number;
  /** `null` until the agent reports the end of the turn. */
  completed: { readonly stopReason?: string } | null;
  model: string | undefined;
  /** The content of the last message. */
  said: readonly Block[];
  /** `something` if the agent reported more than its native session. */
  heard: "nothing" | "something";
}

export function createTurn(): TurnJournal {
  return {
    speech: createSpeech(),
    calls: new Map(),
    usage: {},
    toolCalls: 0,
    completed: null,
    model: undefined,
    said: [],
    heard: "nothing",
  };
}

/** The events of one agent event. Parts of a message can wait; `journalPart` and `endTurn` write them. */
export function journalEvent(turn: TurnJournal, event: AgentEvent): readonly JournalEntry[] {
  turn.usage = countUsage(turn.usage, event);
  if ("model" in event && isWord(event.model)) turn.model = event.model;
  if (!isAside(event)) turn.heard = "something";
  // An agent in plain JavaScript may report events of unknown types.
  const row = Object.hasOwn(ROWS, event.type)
    ? (ROWS[event.type] as (turn: TurnJournal, event: AgentEvent) => readonly JournalEntry[])
    : undefined;
  if (row === undefined) return [{ type: "diagnostics_reported", data: { details: event } }];
  return heard(turn, row(turn, event));
}

function heard(turn: TurnJournal, entries: readonly JournalEntry[]): readonly JournalEntry[] {
  for (const { type, data } of entries) {
    if (type === "message_received") turn.said = data.content as readonly Block[];
  }
  return entries;
}

/** An agent in plain JavaScript may pass any value: a value that is not a short text is kept only in its event. */
function isWord(value: unknown): value is string {
  return typeof value === "string" && value.length <= LIMITS.wordChars;
}

/** True for an event that does not show whether the agent began with the input. */
function isAside({ type }: AgentEvent): boolean {
  return type === "native_session" || type === "diagnostics" || type === "mode" || type === "title";
}

/** However the turn ends, messages that were sent in parts are completed. */
export function endTurn(turn: TurnJournal): readonly JournalEntry[] {
  return heard(turn, closeMessage(turn.speech));
}

type Rows = {
  readonly [Type in AgentEventType]: (
    turn: TurnJournal,
    event: Extract<AgentEvent, { type: Type }>,
  ) => readonly JournalEntry[];
};

const ROWS: Rows = {
  text: ({ speech }, event) => sayPart(speech, event),
  thinking: ({ speech }, event) => sayPart(speech, event),
  message: ({ speech }, event) => sayWhole(speech, event),
  tool_call: (turn, { type: _, toolCallId, toolName, toolInput, title, messageId: named }) => {
    const before = closeOthers(turn.speech, named);
    if (!turn.calls.has(toolCallId)) turn.toolCalls++;
    if (turn.calls.size < LIMITS.rememberedIds) turn.calls.set(toolCallId, toolName);
    const messageId = messageOfCall(turn.speech, named);
    const data = present({ toolCallId, toolName, toolInput, title, messageId });
    return [...before, { type: "tool_call_started", data }];
  },
  tool_call_update: (turn, { type: _, toolCallId, toolInput, status, title, content }) => {
    const entries: JournalEntry[] = [...journalPart(turn.speech)];
    const toolName = turn.calls.get(toolCallId);
    // The arguments of the call are known now, so the call is written again.
    if (toolInput !== undefined && toolName !== undefined) {
      entries.push({ type: "tool_call_started", data: { toolCallId, toolName, toolInput } });
    }
    // A call that is not open is not written again: its arguments stay as they are.
    const unplaced = toolName === undefined ? toolInput : undefined;
    const data = present({ toolCallId, toolInput: unplaced, status, title, content });
    if (Object.keys(data).length > 1) entries.push({ type: "tool_call_updated", data });
    return entries;
  },
  tool_result: (turn, { toolCallId, toolName, content, status }) => {
    const before =
      turn.speech.open?.named === undefined ? closeMessage(turn.speech) : journalPart(turn.speech);
    turn.calls.delete(toolCallId);
    if (status === "ok") {
      const data = present({ toolCallId, toolName, toolOutput: content });
      return [...before, { type: "tool_call_completed", data }];
    }
    const data = present({ toolCallId, toolName, error: content, status });
    return [...before, { type: "tool_call_failed", data }];
  },
  plan: (_, { entries }) => [{ type: "plan_updated", data: { entries } }],
  usage: (_, { type: __, ...data }) => [{ type: "token_usage_updated", data }],
  title: (_, { title }) => [
    { type: "session_updated", data: { title }, also: { type: "session", patch: { title } } },
  ],
  mode: (_, { type: __, ...data }) => [{ type: "mode_changed", data }],
  permission_request: ({ speech }, { type: _, ...data }) => [
    ...closeOthers(speech, speech.open?.named),
    { type: "approval_requested", data },
  ],
  permission_decision: (_, { type: __, recorded, by, ...data }) =>
    recorded === true
      ? []
      : [{ type: "approval_resolved", data: { ...data, by }, by: by === "agent" ? "agent" : "system" }],
  // The session manager records the native session.
  native_session: () => [],
  diagnostics: (_, { type: __, ...data }) => [{ type: "diagnostics_reported", data }],
  error: ({ speech }, { type: _, ...data }) => [
    ...closeOthers(speech, speech.open?.named),
    { type: "error_raised", data },
  ],
  turn_completed: (turn, { type: _, ...data }) => {
    turn.completed = isWord(data.stopReason) ? { stopReason: data.stopReason } : {};
    return [...closeMessage(turn.speech), { type: "turn_completed", data }];
  },
};
