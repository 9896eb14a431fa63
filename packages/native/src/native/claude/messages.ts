/**
 * Converts lines to messages.
 *
 * - the lines of one answer: one assistant message, all blocks in order
 * - a user line: one `tool` message for each result, then a `user` message with its other content
 * - an attachment: an `injected` message of its rendered text, or an unknown block with what is attached;
 *   a `queued_command` is what the person typed during a turn
 * - a system line, or one of an unknown type with a uuid: a `notification`
 *
 * `metadata.claude` holds the line's own flags, verbatim (`FLAGS`), and the uuids of all lines of a message. An answer
 * whose last line follows its results has the `place` "after results".
 * A message's id is the uuid of its first line (`line:N` where it has none); further messages of one line
 * are `UUID#2`, `UUID#3`, …
 */

import type {
  Block,
  Message,
  MessageMetadata,
  Origin,
  RecordPlace,
  ToolStatus,
  Usage,
} from "@continuo/core/model";
import { textOf } from "@continuo/core/model";
import { isJson, type Json, optional, textField } from "@continuo/files";
import { type BlockOptions, toBlocks, toToolResult } from "./blocks.ts";
import type { AnswerPlace } from "./plan.ts";
import { contentOf, isToolResult, isUserAttachment, queuedPrompt, timeOf } from "./records.ts";

/** A line with its place; `place` has no line number if it is not known. */
export interface PlacedLine {
  readonly place: RecordPlace;
  /** The uuid, or an id that the reader makes. */
  readonly id: string;
  readonly value: Json;
}

export interface MessageOptions extends BlockOptions {
  readonly native: boolean;
}

/** The facts about its call that a result needs. */
export interface ToolCall {
  readonly name: string;
  readonly input: unknown;
}

/** Line-level keys that are copied unchanged into `metadata.claude`. */
const FLAGS = [
  "isMeta",
  "isCompactSummary",
  "isVisibleInTranscriptOnly",
  "isSidechain",
  "isApiErrorMessage",
  "apiErrorStatus",
  "error",
  "subtype",
  "level",
  "commandRun",
  "compactMetadata",
  "logicalParentUuid",
  "requestId",
  "promptId",
  "promptSource",
  "permissionMode",
  "permissionDecision",
  "toolDenialKind",
  "sourceToolAssistantUUID",
  "turnCompanion",
  "imagePasteIds",
  "origin",
  "agentId",
  "attributionAgent",
  "forkedFrom",
  "renderedRole",
  "hookText",
  "hookTextLead",
] as const;

export function toAnswer(
  lines: readonly PlacedLine[],
  options: MessageOptions & { readonly place?: AnswerPlace },
): Message | null {
  const told = lines.filter((line) => contentOf(line.value) !== null);
  const first = told[0];
  const last = told.at(-1);
  if (first === undefined || last === undefined) return null;
  const message = isJson(last.value.message) ? last.value.message : {};
  const usage = usageOf(message);
  const counts: number[] = [];
  const content: Block[] = [];
  for (const line of told) {
    const blocks = toBlocks(contentOf(line.value) ?? [], options);
    counts.push(blocks.length);
    content.push(...blocks);
  }
  return {
    id: first.id,
    role: "assistant",
    content,
    ...timestampOf(first.value),
    ...optional("model", textField(message, "model")),
    ...(usage === null ? {} : { usage }),
    ...optional("stopReason", textField(message, "stop_reason")),
    origin: first.value.isApiErrorMessage === true ? "error" : "agent",
    metadata: metadataOf(told, options, {
      ...optional("messageId", textField(message, "id")),
      ...(options.place === "after results" ? { place: options.place } : {}),
      ...(told.length > 1 ? { uuids: told.map((line) => line.id), blockCounts: counts } : {}),
    }),
  };
}

/** Converts a line of any type except `assistant` to messages. `callOf` finds the call of a result. */
export function toMessages(
  line: PlacedLine,
  callOf: (id: string) => ToolCall | undefined,
  options: MessageOptions,
): Message[] {
  if (line.value.type !== "user") return [toAside(line, options)];
  const content = contentOf(line.value);
  if (content === null) return [];
  const messages: Message[] = [];
  const rest: unknown[] = [];
  for (const block of content) {
    if (!isToolResult(block)) rest.push(block);
    else messages.push(toToolMessage(line, block, callOf(block.tool_use_id), options));
  }
  if (rest.length > 0 || content.length === 0) messages.push(toUserMessage(line, rest, options));
  return messages.map((message, at) => (at === 0 ? message : asFurther(message, line.id, at)));
}

function asFurther(message: Message, uuid: string, at: number): Message {
  const flags = isJson(message.metadata.claude) ? message.metadata.claude : {};
  return {
    ...message,
    id: `${uuid}#${at + 1}`,
    metadata: { ...message.metadata, claude: { ...flags, uuids: [uuid] } },
  };
}

function toUserMessage(line: PlacedLine, content: readonly unknown[], options: MessageOptions): Message {
  const blocks = toBlocks(content, options);
  return {
    id: line.id,
    role: "user",
    content: blocks,
    ...timestampOf(line.value),
    origin: userOriginOf(line.value, blocks),
    metadata: metadataOf([line], options, {}),
  };
}

function userOriginOf(record: Json, blocks: readonly Block[]): Origin {
  if (record.isCompactSummary === true) return "summary";
  if (record.isMeta === true) return "injected";
  if (isJson(record.origin) && record.origin.kind === "task-notification") return "notification";
  const text = textOf(blocks).trimStart();
  if (/^<(task-notification|local-command-(stdout|stderr)|bash-(stdout|stderr))>/u.test(text))
    return "notification";
  if (/^(<system-reminder>|<local-command-caveat>|\[Request interrupted by user)/u.test(text))
    return "injected";
  return "person";
}

function toToolMessage(
  line: PlacedLine,
  raw: Json,
  call: ToolCall | undefined,
  options: MessageOptions,
): Message {
  const result = toToolResult(raw, options);
  const { toolUseResult } = line.value;
  const block = {
    ...result,
    status: statusOf(line.value, result.isError),
    ...(toolUseResult === undefined ? {} : { details: toolUseResult }),
  };
  return {
    id: line.id,
    role: "tool",
    content: [block],
    ...timestampOf(line.value),
    toolCallId: block.toolCallId,
    ...(call === undefined ? {} : { toolName: call.name, toolInput: call.input }),
    toolOutput: textOf(block.content),
    metadata: metadataOf([line], options, {}),
  };
}

const REJECTED = "User rejected tool use";

function statusOf(record: Json, isError: boolean): ToolStatus {
  const { toolUseResult, permissionDecision } = record;
  if (isJson(toolUseResult) && toolUseResult.interrupted === true) return "interrupted";
  if (typeof record.toolDenialKind === "string" || toolUseResult === REJECTED) return "denied";
  if (isError && isJson(permissionDecision) && permissionDecision.decision === "reject") return "denied";
  return isError ? "error" : "ok";
}

function toAside(line: PlacedLine, options: MessageOptions): Message {
  const { value } = line;
  const isAttachment = value.type === "attachment";
  const attached = isJson(value.attachment) ? value.attachment : {};
  return {
    id: line.id,
    role: isAttachment && isUserAttachment(value) ? "user" : "system",
    content: isAttachment ? attachedBlocks(value, options) : asideBlocks(value),
    ...timestampOf(value),
    origin: !isAttachment ? "notification" : queuedPrompt(value) === null ? "injected" : "person",
    metadata: metadataOf([line], options, {
      ...(isAttachment ? optional("attachment", textField(attached, "type")) : {}),
      ...(isAttachment || value.type === "system" ? {} : { type: value.type }),
    }),
  };
}

function attachedBlocks(record: Json, options: MessageOptions): Block[] {
  const queued = queuedPrompt(record);
  // The first block also keeps the text that Claude Code puts around the prompt for the model.
  if (queued !== null) {
    const { attachment, rendered } = record;
    const blocks = toBlocks(queued, options);
    return blocks.map((block, at) => (at === 0 ? { ...block, native: { attachment, rendered } } : block));
  }
  if (!Array.isArray(record.rendered)) return [{ type: "unknown", raw: record.attachment ?? record }];
  return record.rendered.map((part: unknown): Block => {
    const text = isJson(part) && typeof part.content === "string" ? part.content : null;
    return text === null ? { type: "unknown", raw: part } : { type: "text", text };
  });
}

function asideBlocks(record: Json): Block[] {
  const text = record.type === "system" ? textField(record, "content") : null;
  return text === null ? [{ type: "unknown", raw: record }] : [{ type: "text", text }];
}

function metadataOf(lines: readonly PlacedLine[], options: MessageOptions, more: Json): MessageMetadata {
  const flags: Record<string, unknown> = {};
  for (const line of lines) {
    for (const key of FLAGS) {
      const value = line.value[key];
      if (value !== undefined && value !== false && flags[key] === undefined) flags[key] = value;
    }
  }
  return {
    records: lines.map((line) => line.place),
    ...(options.native ? { native: lines.map((line) => line.value) } : {}),
    claude: { ...flags, ...more },
  };
}

/** Tokens of one API call; `null` if the line names none. */
export function usageOf(message: Json): Usage | null {
  if (!isJson(message.usage)) return null;
  const { usage } = message;
  const thinking = isJson(usage.output_tokens_details)
    ? usage.output_tokens_details.thinking_tokens
    : undefined;
  const written = isJson(usage.cache_creation) ? usage.cache_creation : {};
  return {
    inputTokens: tokensOf(usage.input_tokens) ?? 0,
    outputTokens: tokensOf(usage.output_tokens) ?? 0,
    ...optional("cacheReadTokens", tokensOf(usage.cache_read_input_tokens)),
    ...optional("cacheWriteTokens", tokensOf(usage.cache_creation_input_tokens)),
    ...optional("cacheWriteHourTokens", tokensOf(written.ephemeral_1h_input_tokens) || null),
    ...optional("reasoningTokens", tokensOf(thinking)),
  };
}

function tokensOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

function timestampOf(record: Json): { timestamp?: string } {
  return optional("timestamp", timeOf(record));
}
