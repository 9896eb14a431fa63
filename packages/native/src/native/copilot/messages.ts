/**
 * Converts records to messages: one record becomes one message.
 *
 * | record | message |
 * |---|---|
 * | user.message | `user`, by the person; injected if it names another source |
 * | assistant.message | `assistant` |
 * | tool.execution_complete | `tool`; `user`, by the person, for a command that they ran with `!` |
 * | system.notification | `user`, injected |
 * | session.compaction_complete | `user`, a summary: the bare text; a failed one is a notification |
 * | system.message | `system`, injected |
 * | session.error | `assistant`, an error |
 * | session.info, session.warning, session.model_change, session.mode_changed, session.context_cleared, … | `system`, a notification |
 * | of another type, or malformed | `system`, a notification: an unknown block |
 *
 * `metadata.copilot` holds what the message has no field for, verbatim, under Copilot's own names, and `type` for all but
 * plain messages.
 */

import {
  type Block,
  type Message,
  type MessageMetadata,
  type Origin,
  present,
  type RecordPlace,
  type Role,
  textOf,
  type Usage,
} from "@continuo/core/model";
import { entryOf, isJson, type Json, optional, textField, textOfValue } from "@continuo/files";
import { type FindAsset, toAnswer, toPrompt, toResult } from "./blocks.ts";
import { dataOf, filledField, flawOf, isTyped, isUserCommand, summaryOf, timeOf } from "./records.ts";

/** A record with its place and its unique id (`idOf`), which can differ from the id in the file. */
export interface PlacedRecord {
  readonly place: RecordPlace;
  readonly id: string;
  readonly value: Json;
}

/** The facts about its call that a result needs. */
export interface ToolCall {
  readonly name: string;
  readonly input: unknown;
}

export interface MessageOptions {
  readonly native: boolean;
  /** True if Copilot does not see the record: its message has `metadata.copilot.lostOnResume`. */
  readonly lost: boolean;
  /** The call that a result answers, or the command that the person requested. */
  readonly callOf: (id: string) => ToolCall | undefined;
  readonly assetOf: FindAsset;
  /** The usage of the model call that gave this answer. */
  readonly usage: Usage | null;
}

interface Parts {
  readonly role: Role;
  readonly origin?: Origin;
  readonly content: readonly Block[];
  readonly fields?: Partial<Message>;
  readonly copilot: Json;
}

/** Converts a record that is a message; `KIND` of the index identifies these. */
export function toMessage(record: PlacedRecord, options: MessageOptions): Message {
  const { role, origin, content, fields, copilot } = partsOf(record.value, options);
  const metadata: MessageMetadata = {
    records: [record.place],
    ...(options.native ? { native: [record.value] } : {}),
    copilot: options.lost ? { ...copilot, lostOnResume: true } : copilot,
  };
  return {
    id: record.id,
    role,
    content,
    ...optional("timestamp", timeOf(record.value)),
    ...fields,
    ...(origin === undefined ? {} : { origin }),
    metadata,
  };
}

type ToParts = (data: Json, options: MessageOptions, record: Json) => Parts;

function partsOf(record: Json, options: MessageOptions): Parts {
  const make = flawOf(record) === null ? entryOf(PARTS, textOfValue(record.type)) : undefined;
  return (make ?? unknownParts)(dataOf(record), options, record);
}

const PARTS: Readonly<Record<string, ToParts>> = {
  "user.message": (data, { assetOf }) => ({
    role: "user",
    origin: isTyped(data) ? "person" : "injected",
    content: toPrompt(data, assetOf),
    copilot: without(data, ["content", "attachments"]),
  }),
  "assistant.message": (data, { usage }) => ({
    role: "assistant",
    origin: "agent",
    content: toAnswer(data),
    fields: { ...optional("model", filledField(data, "model")), ...optional("usage", usage) },
    copilot: without(data, ["content", "toolRequests", "model", ...THINKING]),
  }),
  "tool.execution_complete": (data, options, record) =>
    isUserCommand(record) ? commandParts(data, options) : resultParts(data, options),
  "system.message": (data) => ({
    role: "system",
    origin: "injected",
    content: [{ type: "text", text: textField(data, "content") ?? "" }],
    copilot: { type: "system.message", ...without(data, ["content", "contentBlocks"]) },
  }),
  "system.notification": (data) => ({
    role: "user",
    origin: "injected",
    content: [{ type: "text", text: textField(data, "content") ?? "" }],
    copilot: { type: "system.notification", ...without(data, ["content"]) },
  }),
  "session.compaction_complete": (data, _options, record) => {
    const summary = summaryOf(record);
    if (summary === null) {
      const why = filledField(data, "error") ?? filledField(data, "failureReason") ?? "";
      return noticeParts(record, `Compaction failed${why === "" ? "" : `: ${why}`}`);
    }
    return {
      role: "user",
      origin: "summary",
      content: [{ type: "text", text: summary }],
      copilot: { type: record.type, ...without(data, ["summaryContent"]) },
    };
  },
  "session.error": (data, _options, record) => ({
    role: "assistant",
    origin: "error",
    content: [{ type: "text", text: textField(data, "message") ?? "" }],
    copilot: { type: record.type, ...without(data, ["message"]) },
  }),
  "session.info": (data, _options, record) => noticeParts(record, textField(data, "message") ?? ""),
  "session.warning": (data, _options, record) => noticeParts(record, textField(data, "message") ?? ""),
  "session.model_change": (data, _options, record) => noticeParts(record, `Model: ${shown(data.newModel)}`),
  "session.mode_changed": (data, _options, record) => noticeParts(record, `Mode: ${shown(data.newMode)}`),
  "session.context_cleared": (_data, _options, record) => noticeParts(record, "The context was cleared"),
  "session.truncation": (data, _options, record) =>
    noticeParts(record, `Messages left out of the context: ${shown(data.messagesRemovedDuringTruncation)}`),
  "session.handoff": (data, _options, record) =>
    noticeParts(record, `Handed over: ${shown(data.summary) || shown(data.sourceType)}`),
  "session.task_complete": (data, _options, record) =>
    noticeParts(record, `Task complete${data.summary === undefined ? "" : `: ${shown(data.summary)}`}`),
  abort: (data, _options, record) => noticeParts(record, `Interrupted: ${shown(data.reason)}`),
};

/** The words with which the texts of notices begin. */
export const OWN_WORDS: readonly string[] = [
  "Compaction failed",
  "Model",
  "Mode",
  "The context was cleared",
  "Messages left out of the context",
  "Handed over",
  "Task complete",
  "Interrupted",
];

const THINKING = ["reasoningText", "reasoningOpaque", "encryptedContent", "reasoningBlocks"];

function unknownParts(_data: Json, _options: MessageOptions, record: Json): Parts {
  return {
    role: "system",
    origin: "notification",
    content: [{ type: "unknown", raw: record }],
    copilot: { type: record.type },
  };
}

function noticeParts(record: Json, text: string): Parts {
  return {
    role: "system",
    origin: "notification",
    content: [{ type: "text", text }],
    copilot: { type: record.type, ...dataOf(record) },
  };
}

function resultParts(data: Json, { callOf, assetOf }: MessageOptions): Parts {
  const toolCallId = textField(data, "toolCallId") ?? "";
  const call = callOf(toolCallId);
  const isError = data.success !== true;
  const content = toResult(data, assetOf);
  const details = detailsOf(data);
  return {
    role: "tool",
    content: [
      { type: "tool_result", toolCallId, content, isError, status: isError ? "error" : "ok", ...details },
    ],
    fields: {
      toolCallId,
      ...(call === undefined ? {} : { toolName: call.name, toolInput: call.input }),
      toolOutput: textOf(content),
    },
    copilot: without(data, ["toolCallId", "success", "result", "error"]),
  };
}

/** The facts in addition to the text of a result. */
function detailsOf(data: Json): { readonly details?: Json } {
  const result = isJson(data.result) ? without(data.result, ["content", "binaryResultsForLlm"]) : {};
  const error = isJson(data.error) ? without(data.error, ["message"]) : {};
  const { shellExecution, fileEdits } = data;
  const details = { ...result, ...error, ...present({ shellExecution, fileEdits }) };
  return Object.keys(details).length === 0 ? {} : { details };
}

/** A command that the person ran with `!`: the command and its output. */
function commandParts(data: Json, { callOf, assetOf }: MessageOptions): Parts {
  const input = callOf(textField(data, "toolCallId") ?? "")?.input;
  const command = isJson(input) ? (textField(input, "command") ?? "") : "";
  return {
    role: "user",
    origin: "person",
    content: [{ type: "text", text: `! ${command}\n\n${textOf(toResult(data, assetOf))}`.trim() }],
    copilot: { type: "tool.execution_complete", command, ...data },
  };
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : value === undefined ? "" : (JSON.stringify(value) ?? "");
}

function without(record: Json, keys: readonly string[]): Json {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}
