/**
 * Converts one message of opencode, with its parts, to messages of the model.
 *
 * - a user message: one message; `compaction` and `subtask` parts, which stand for words that opencode puts in
 *   their place, are unknown blocks
 * - an assistant message: one message a step (versions before 1.18 put several steps into one), each followed
 *   by one `tool` message a result
 * - an error that ended it: a message of its own after the others
 *
 * The id is opencode's own; further messages have the id of the part that they begin with (a step's
 * `step-start`, a tool's part), an error that follows content `ID#error`. `metadata.opencode` holds the
 * message's id, its own flags verbatim (`FLAGS`), and in `parts` the parts that are no content.
 */

import type { Block, Message, MessageMetadata, Origin, Usage } from "@continuo/core/model";
import { textOf } from "@continuo/core/model";
import { isJson, type Json, textField } from "@continuo/files";
import { hasResult, isMark, toBlock, toToolResult } from "./blocks.ts";
import { type NativeRecord, numberField, objectField, timeOfMs } from "./records.ts";

export interface MessageOptions {
  readonly native: boolean;
}

/**
 * The fields that `metadata.opencode` has unchanged. A user's `summary` is left out: it repeats the files'
 * changes.
 */
const FLAGS = [
  "parentID",
  "agent",
  "mode",
  "model",
  "providerID",
  "variant",
  "path",
  "finish",
  "error",
  "system",
  "tools",
  "format",
  "structured",
  "messageType",
  "recent",
] as const;

export function toMessages(
  record: NativeRecord,
  parts: readonly NativeRecord[],
  options: MessageOptions,
): Message[] {
  const info = record.data ?? {};
  const first =
    info.role === "assistant" ? toAnswers(record, parts, options) : [toSaid(record, parts, options)];
  const error = isJson(info.error) ? info.error : null;
  if (error === null) return first;
  const isAlone = first.every((message) => message.content.length === 0);
  const told: Message = {
    id: isAlone ? idOf(record) : `${idOf(record)}#error`,
    role: "assistant",
    content: [{ type: "text", text: errorText(error), native: error }],
    ...timestampOf(objectField(info, "time").completed ?? record.timeMs),
    origin: "error",
    metadata: metadataOf(record, isAlone ? parts : [], options),
  };
  return isAlone ? [told] : [...first, told];
}

/** An unknown record becomes a message too: its raw form, only for the person. */
function toSaid(record: NativeRecord, parts: readonly NativeRecord[], options: MessageOptions): Message {
  const isUser = record.data?.role === "user";
  const content = isUser
    ? blocksOf(parts)
    : [{ type: "unknown", raw: record.value } as const, ...blocksOf(parts)];
  return {
    id: idOf(record),
    role: isUser ? "user" : "system",
    content,
    ...timestampOf(record.timeMs),
    origin: isUser ? userOriginOf(parts) : "notification",
    metadata: metadataOf(record, parts, options),
  };
}

function userOriginOf(parts: readonly NativeRecord[]): Origin {
  const told = parts.flatMap(({ data }) => (data === null || isMark(data) ? [] : [data]));
  const isPut = (part: Json): boolean => part.synthetic === true || part.type === "compaction";
  return told.length > 0 && told.every(isPut) ? "injected" : "person";
}

function toAnswers(record: NativeRecord, parts: readonly NativeRecord[], options: MessageOptions): Message[] {
  const messages: Message[] = [];
  for (const [at, step] of stepsOf(parts).entries()) {
    messages.push(toAnswer(record, step, at, options));
    for (const part of step) {
      if (part.data?.type !== "tool" || !hasResult(part.data)) continue;
      if (toBlock(part.data)?.type === "tool_call")
        messages.push(toToolMessage(record, part, part.data, options));
    }
  }
  return messages;
}

/** A new step begins with each `step-start` that comes after content of the step before. */
function stepsOf(parts: readonly NativeRecord[]): NativeRecord[][] {
  const steps: NativeRecord[][] = [[]];
  let hasContent = false;
  for (const part of parts) {
    if (part.data?.type === "step-start" && hasContent) {
      steps.push([]);
      hasContent = false;
    }
    steps.at(-1)?.push(part);
    hasContent ||= part.data === null || !isMark(part.data);
  }
  return steps;
}

function toAnswer(
  record: NativeRecord,
  step: readonly NativeRecord[],
  at: number,
  options: MessageOptions,
): Message {
  const info = record.data ?? {};
  const model = textField(info, "modelID");
  const finish = textField(info, "finish");
  const usage = at === 0 ? usageOf(info) : null;
  return {
    id: at === 0 ? idOf(record) : (step[0]?.id ?? `${idOf(record)}#${at + 1}`),
    role: "assistant",
    content: blocksOf(step),
    ...timestampOf(record.timeMs),
    ...(model === null ? {} : { model }),
    ...(usage === null ? {} : { usage }),
    ...(finish === null ? {} : { stopReason: finish }),
    origin: info.summary === true ? "summary" : "agent",
    metadata: metadataOf(record, step, options),
  };
}

function toToolMessage(
  record: NativeRecord,
  part: NativeRecord,
  data: Json,
  options: MessageOptions,
): Message {
  const result = toToolResult(data);
  const state = objectField(data, "state");
  const time = objectField(state, "time");
  return {
    id: part.id ?? `${idOf(record)}#${result.toolCallId}`,
    role: "tool",
    content: [result],
    ...timestampOf(time.end ?? time.start ?? record.timeMs),
    toolCallId: result.toolCallId,
    toolName: textField(data, "tool") ?? "",
    toolInput: state.input,
    toolOutput: textOf(result.content),
    metadata: {
      records: placesOf([part]),
      ...(options.native ? { native: [part.value] } : {}),
      opencode: { message: idOf(record) },
    },
  };
}

function blocksOf(parts: readonly NativeRecord[]): Block[] {
  return parts.flatMap(({ data, value }): Block[] => {
    const block = data === null ? { type: "unknown" as const, raw: value } : toBlock(data);
    return block === null ? [] : [block];
  });
}

function metadataOf(
  record: NativeRecord,
  parts: readonly NativeRecord[],
  options: MessageOptions,
): MessageMetadata {
  const info = record.data ?? {};
  const flags = Object.fromEntries(
    FLAGS.flatMap((key) => (info[key] === undefined ? [] : [[key, info[key]]])),
  );
  const marks = parts.flatMap(({ data }) => (data !== null && isMark(data) ? [data] : []));
  const all = [record, ...parts];
  return {
    records: placesOf(all),
    ...(options.native ? { native: rowsOf(all).map((each) => each.value) } : {}),
    opencode: {
      message: idOf(record),
      ...flags,
      ...(info.summary === true ? { summary: true } : {}),
      ...(marks.length > 0 ? { parts: marks } : {}),
    },
  };
}

function placesOf(records: readonly NativeRecord[]): { row: string }[] {
  return rowsOf(records).map((each) => ({ row: (each.kind === "content" ? each.parentId : each.id) ?? "" }));
}

/** If the row itself is missing, a piece of it represents the row. */
function rowsOf(records: readonly NativeRecord[]): readonly NativeRecord[] {
  const [first] = records;
  return first?.kind === "session_message" ? [first] : records;
}

function idOf(record: NativeRecord): string {
  return record.id ?? "";
}

/** The message of an error, or else its name. */
function errorText(error: Json): string {
  return textField(objectField(error, "data"), "message") ?? textField(error, "name") ?? "";
}

/**
 * Tokens and cost of the answer; `null` if none are recorded. opencode counts reasoning apart from output;
 * here it is part of it, as with every other agent.
 */
export function usageOf(info: Json): Usage | null {
  if (!isJson(info.tokens)) return null;
  const { tokens } = info;
  const cache = objectField(tokens, "cache");
  return {
    inputTokens: numberField(tokens, "input") || 0,
    outputTokens: (numberField(tokens, "output") || 0) + (numberField(tokens, "reasoning") || 0),
    ...counted("cacheReadTokens", cache.read),
    ...counted("cacheWriteTokens", cache.write),
    ...counted("reasoningTokens", tokens.reasoning),
    ...counted("totalTokens", tokens.total),
    ...counted("costUsd", info.cost),
  };
}

function counted<K extends string>(key: K, value: unknown): { [P in K]?: number } {
  const isCount = typeof value === "number" && Number.isFinite(value);
  return (isCount ? { [key]: value } : {}) as { [P in K]?: number };
}

function timestampOf(ms: unknown): { timestamp?: string } {
  const timestamp = timeOfMs(ms);
  return timestamp === null ? {} : { timestamp };
}
