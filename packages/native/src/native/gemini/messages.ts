/**
 * Converts records to messages.
 *
 * - an answer: one assistant message (thoughts, then the content, then calls that stand next to it), then one
 *   `tool` message for each result
 * - a user message: its results, then the rest of its content
 * - a notice (`info`, `warning`, `error`) or a message of an unknown type: `system`
 *
 * After a resume, Gemini CLI keeps a shorter version of an answer in its list. Values that only the version on a
 * separate line has (time, tokens, model, thoughts, calls with their status) are taken from that line.
 *
 * `metadata.gemini` holds the message's other keys, verbatim. A message's id is its record's id; further
 * messages of one record are `ID#2`, `ID#3`, …
 */

import type { Block, Message, MessageMetadata, Origin, RecordPlace, Usage } from "@continuo/core/model";
import { textOf } from "@continuo/core/model";
import { isJson, type Json, optional, textField, textOfValue, toTime } from "@continuo/files";
import { type Children, toBlock, toCallBlock, toResultBlock } from "./blocks.ts";
import {
  type CallRecord,
  callsIn,
  isContextMessage,
  isDroppedContent,
  isKnownType,
  isResponse,
  isSummary,
  listField,
  partsOf,
  type ResultRecord,
  thoughtText,
} from "./records.ts";

/** A version of a message with its place. */
export interface PlacedMessage {
  readonly place: RecordPlace;
  readonly value: Json;
  /** Gemini CLI itself does not see this record. */
  readonly lost: boolean;
}

export interface MessageOptions {
  readonly children: Children;
  readonly native: boolean;
}

/** @param own the version on a line of its own, where the list holds another. */
export function toAnswer(listed: PlacedMessage, own: PlacedMessage | null, options: MessageOptions): Message {
  const value = own === null ? listed.value : merged(listed.value, own.value);
  const usage = usageOf(value);
  return {
    id: textOfValue(value.id),
    role: "assistant",
    content: answerBlocks(value, options.children),
    ...optional("timestamp", toTime(value.timestamp)),
    ...optional("model", textField(value, "model")),
    ...optional("usage", usage),
    origin: "agent",
    metadata: metadataOf(own === null ? [listed] : [own, listed], value, options),
  };
}

/** The version in the list decides the content; what it lacks comes from the version on a line of its own. */
export function merged(listed: Json, own: Json): Json {
  const value: Record<string, unknown> = { ...own, ...listed };
  if (own.timestamp !== undefined) value.timestamp = own.timestamp;
  for (const key of ["thoughts", "toolCalls"]) {
    if (listField(listed, key).length === 0 && own[key] !== undefined) value[key] = own[key];
  }
  return value;
}

function answerBlocks(value: Json, children: Children): Block[] {
  const parts = partsOf(value.content);
  const told = new Set(parts.map((part) => (isJson(part) && part.thought === true ? part.text : undefined)));
  const calls = new Map(callsIn(value).map((call) => [call.id, call]));
  const blocks: Block[] = [];
  for (const thought of listField(value, "thoughts")) {
    const text = thoughtText(thought);
    if (!told.has(text)) blocks.push({ type: "thinking", text, native: thought });
  }
  for (const part of parts) {
    const id = isJson(part) && isJson(part.functionCall) ? textOfValue(part.functionCall.id ?? "") : null;
    const call = id === null ? undefined : calls.get(id);
    if (call === undefined) blocks.push(toBlock(part));
    else if (call.part === part) blocks.push(toCallBlock(call, children));
  }
  for (const call of calls.values()) if (call.part === null) blocks.push(toCallBlock(call, children));
  return blocks;
}

export interface PlacedResult {
  readonly result: ResultRecord;
  readonly source: PlacedMessage;
  readonly repeats: readonly PlacedMessage[];
  /** The call, if it is known. */
  readonly call: CallRecord | null;
  readonly id: string;
}

export function toToolMessage(placed: PlacedResult, options: MessageOptions): Message {
  const { result, source, repeats, call } = placed;
  const block = toResultBlock(result, call?.record ?? null);
  const name = call?.name ?? result.name;
  const time = (call?.record ? toTime(call.record.timestamp) : null) ?? toTime(source.value.timestamp);
  return {
    id: placed.id,
    role: "tool",
    content: [block],
    ...optional("timestamp", time),
    toolCallId: block.toolCallId,
    ...optional("toolName", name),
    ...(call === null ? {} : { toolInput: call.args }),
    toolOutput: textOf(block.content),
    metadata: metadataOf([source, ...repeats], {}, options),
  };
}

/**
 * A user message without its results, or a notice. If results come before its text, `metadata.gemini.behindResults` is
 * true.
 */
export function toAside(listed: PlacedMessage, own: PlacedMessage | null, options: MessageOptions): Message {
  const value = own === null ? listed.value : merged(listed.value, own.value);
  const isUser = value.type === "user";
  const parts = partsOf(value.content);
  const others = parts.filter((part) => !(isUser && isResponse(part)));
  const isBehindResults = others.length < parts.length && !isDroppedContent(value.content);
  const { gemini, ...metadata } = metadataOf(own === null ? [listed] : [own, listed], value, options);
  return {
    id: textOfValue(value.id),
    role: isUser ? "user" : "system",
    content: others.map(toBlock),
    ...optional("timestamp", toTime(value.timestamp)),
    origin: originOf(value),
    metadata: {
      ...metadata,
      gemini: isBehindResults ? { ...gemini, behindResults: true } : gemini,
    },
  };
}

function originOf(value: Json): Origin {
  if (value.type !== "user") return value.type === "error" ? "error" : "notification";
  if (isContextMessage(value)) return "injected";
  return isSummary(value) ? "summary" : "person";
}

const TOLD = ["id", "timestamp", "type", "content", "thoughts", "tokens", "model", "toolCalls"];

function metadataOf(
  sources: readonly PlacedMessage[],
  value: Json,
  options: MessageOptions,
): MessageMetadata & { readonly gemini: Json } {
  const flags: Record<string, unknown> = Object.fromEntries(
    Object.entries(value).filter(([key]) => !TOLD.includes(key)),
  );
  if (value.type !== undefined && value.type !== "user" && value.type !== "gemini") flags.type = value.type;
  if (!isKnownType(value.type) && value.type !== undefined) flags.type = value.type;
  if (sources.every((source) => source.lost)) flags.lostOnResume = true;
  return {
    records: placesOf(sources),
    ...(options.native ? { native: sources.map((source) => source.value) } : {}),
    gemini: flags,
  };
}

/**
 * Tokens of one model call; `null` if the record has none. Gemini counts cached input as input. It does not count
 * thoughts as output, nor the input of its own tools as input.
 */
export function usageOf(message: Json): Usage | null {
  const { tokens } = message;
  if (!isJson(tokens)) return null;
  const count = (key: string): number => countOf(tokens[key]) ?? 0;
  const cached = Math.min(count("cached"), count("input"));
  return {
    inputTokens: count("input") - cached + count("tool"),
    outputTokens: count("output") + count("thoughts"),
    cacheReadTokens: cached,
    reasoningTokens: count("thoughts"),
    ...optional("totalTokens", countOf(tokens.total)),
  };
}

function countOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

/** Several versions of a message can be in one record. */
function placesOf(sources: readonly PlacedMessage[]): RecordPlace[] {
  const lines = new Map(sources.map(({ place }) => [place.line, place]));
  return [...lines.values()];
}
