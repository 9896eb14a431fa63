/**
 * Converts the lines of `claude --output-format stream-json` (seen in 2.1.330) during a turn to events. Pure.
 *
 * - `stream_event`: the pieces of an answer; `assistant`: a line for each whole block of it, so that several lines make
 *   one message, which is reported when the stream says that it ended
 * - `user`: results of tools, and notes that Claude Code itself puts into the conversation
 * - lines with a `parent_tool_use_id` are those of a sub-agent: they update the call that started it
 */

import {
  type AgentEvent,
  addUsage,
  type Block,
  present,
  type ToolStatus,
  type Usage,
} from "@continuo/core/model";
import { isJson, type Json, textField } from "@continuo/files";
import { isToolResult, toBlock, toBlocks, toToolResult, usageOf } from "@continuo/native/claude";

import { retryEvent } from "../link/index.ts";

/** The state that the lines so far left open. */
export interface ClaudeFold {
  mode: string | null;
  model: string | null;
  answer: Answer | null;
  /** The id of the answer that is streamed now. */
  streamed: string | null;
  /** Calls without a result: names by id. */
  readonly calls: Map<string, string>;
  /** The usage of the turn, without sub-agents. */
  usage: Usage | null;
  /** The usage of only the last answer. */
  lastUsage: Usage | null;
}

interface Answer {
  readonly id: string;
  readonly model: string | null;
  readonly blocks: Block[];
  usage: Usage | null;
  stopReason: string | null;
}

const NO_CHILDREN = { children: new Map<string, string>() };

export function createClaudeFold(): ClaudeFold {
  return {
    mode: null,
    model: null,
    answer: null,
    streamed: null,
    calls: new Map(),
    usage: null,
    lastUsage: null,
  };
}

/** Does not accept `result` lines, because they end the turn. */
export function foldLine(fold: ClaudeFold, line: Json): readonly AgentEvent[] {
  const parent = textField(line, "parent_tool_use_id");
  switch (line.type) {
    case "system":
      return foldSystem(fold, line);
    case "stream_event":
      return parent === null && isJson(line.event) ? foldStream(fold, line.event) : [];
    case "assistant":
      return parent === null ? foldAnswer(fold, line) : foldSubagent(parent, line);
    case "user":
      return parent === null ? foldUser(fold, line) : foldSubagent(parent, line);
    case "command_lifecycle":
    case "keep_alive":
      return [];
    default:
      return [{ type: "diagnostics", message: `Claude Code: ${String(line.type)}`, details: line }];
  }
}

/** Ends the answer and the calls that are still open at the end of a turn. */
export function finishTurn(fold: ClaudeFold): readonly AgentEvent[] {
  const events = [...flush(fold)];
  for (const [toolCallId, toolName] of fold.calls) {
    events.push({ type: "tool_result", toolCallId, toolName, content: "", status: "interrupted" });
  }
  fold.calls.clear();
  fold.usage = null;
  return events;
}

function foldSystem(fold: ClaudeFold, line: Json): readonly AgentEvent[] {
  switch (line.subtype) {
    case "init":
      return changeMode(fold, textField(line, "permissionMode"), textField(line, "model"));
    case "status":
      return changeMode(fold, textField(line, "permissionMode"), null);
    case "session_title_changed": {
      const title = textField(line, "title");
      return title === null ? [] : [{ type: "title", title }];
    }
    case "api_retry": {
      const { attempt, max_retries: attempts, retry_delay_ms: waitMs, error_status: status } = line;
      const words = [typeof status === "number" ? String(status) : null, textField(line, "error")];
      const why = words.filter((word) => word !== null && word !== "").join(" ");
      return [
        retryEvent({ why: why || "the model did not answer", attempt, attempts, waitMs, details: line }),
      ];
    }
    // Claude Code itself shows this number next to a spinner; it is not needed here.
    case "thinking_tokens":
      return [];
    case "compact_boundary":
      return [{ type: "diagnostics", message: "Claude Code summed up the conversation.", details: line }];
    default:
      return [{ type: "diagnostics", message: `Claude Code: ${String(line.subtype)}`, details: line }];
  }
}

/** Every turn begins with the mode and the model; they are reported when they changed. */
function changeMode(fold: ClaudeFold, mode: string | null, model: string | null): readonly AgentEvent[] {
  const newMode = mode !== null && mode !== fold.mode ? { mode } : {};
  const newModel = model !== null && model !== fold.model ? { model } : {};
  fold.mode = mode ?? fold.mode;
  fold.model = model ?? fold.model;
  const isNew = Object.keys({ ...newMode, ...newModel }).length > 0;
  return isNew ? [{ type: "mode", ...newMode, ...newModel }] : [];
}

function foldStream(fold: ClaudeFold, event: Json): readonly AgentEvent[] {
  switch (event.type) {
    case "message_start": {
      const message = isJson(event.message) ? event.message : {};
      fold.streamed = textField(message, "id");
      return flush(fold);
    }
    case "content_block_delta":
      return isJson(event.delta) ? foldDelta(fold, event.delta) : [];
    case "message_delta": {
      const { answer } = fold;
      if (answer === null) return [];
      answer.usage = usageOf(event) ?? answer.usage;
      answer.stopReason = isJson(event.delta) ? textField(event.delta, "stop_reason") : null;
      return [];
    }
    case "message_stop":
      fold.streamed = null;
      return flush(fold);
    default:
      return [];
  }
}

function foldDelta(fold: ClaudeFold, delta: Json): readonly AgentEvent[] {
  const messageId = fold.streamed === null ? {} : { messageId: fold.streamed };
  if (delta.type === "text_delta" && typeof delta.text === "string") {
    return [{ type: "text", delta: delta.text, ...messageId }];
  }
  if (delta.type === "thinking_delta" && typeof delta.thinking === "string") {
    return [{ type: "thinking", delta: delta.thinking, ...messageId }];
  }
  return [];
}

function foldAnswer(fold: ClaudeFold, line: Json): readonly AgentEvent[] {
  const message = isJson(line.message) ? line.message : {};
  const id = textField(message, "id") ?? textField(line, "uuid") ?? "";
  const before = fold.answer?.id === id ? [] : flush(fold);
  const blocks = toBlocks(Array.isArray(message.content) ? message.content : [], NO_CHILDREN);
  // This message replaces an answer that failed. The end of the turn reports the failure.
  if (line.is_api_error_message === true) return before;
  fold.answer ??= { id, model: textField(message, "model"), blocks: [], usage: null, stopReason: null };
  fold.answer.blocks.push(...blocks);
  fold.answer.usage ??= usageOf(message);
  fold.answer.stopReason ??= textField(message, "stop_reason");
  const calls = blocks.flatMap((block): AgentEvent[] => {
    if (block.type !== "tool_call") return [];
    fold.calls.set(block.id, block.name);
    const { id: toolCallId, name: toolName, args: toolInput } = block;
    return [{ type: "tool_call", toolCallId, toolName, toolInput, messageId: id }];
  });
  return [...before, ...calls];
}

function foldUser(fold: ClaudeFold, line: Json): readonly AgentEvent[] {
  // Claude Code repeats the prompt, which is already known.
  if (line.isReplay === true && !isNote(line)) return [];
  const before = fold.streamed === null ? flush(fold) : [];
  const results = contentOf(line).filter(isToolResult);
  if (results.length === 0) {
    return [...before, { type: "diagnostics", message: wordsOf(line), details: line }];
  }
  return [...before, ...results.map((raw) => toResult(fold, raw, line))];
}

function toResult(fold: ClaudeFold, raw: Json, line: Json): AgentEvent {
  const { toolCallId, content, isError } = toToolResult(raw, NO_CHILDREN);
  const toolName = fold.calls.get(toolCallId);
  fold.calls.delete(toolCallId);
  const status = statusOf(isError, toolCallId, line);
  return present({ type: "tool_result", toolCallId, toolName, content, status });
}

/** A call that did not run says why in `tool_result_meta`: `permission-rule`, `user-rejected`. */
function statusOf(isError: boolean, toolCallId: string, line: Json): ToolStatus {
  const metas = Array.isArray(line.tool_result_meta) ? line.tool_result_meta.filter(isJson) : [];
  const meta = metas.find(({ id }) => id === toolCallId);
  if (typeof meta?.non_execution_kind === "string") return "denied";
  if (isJson(line.tool_use_result) && line.tool_use_result.interrupted === true) return "interrupted";
  return isError ? "error" : "ok";
}

function foldSubagent(toolCallId: string, line: Json): readonly AgentEvent[] {
  const blocks = contentOf(line).map((raw) => toBlock(raw, NO_CHILDREN));
  return [{ type: "tool_call_update", toolCallId, status: "in_progress", content: blocks }];
}

/** Returns the answer so far as a complete message. */
function flush(fold: ClaudeFold): readonly AgentEvent[] {
  const { answer } = fold;
  fold.answer = null;
  if (answer === null || answer.blocks.length === 0) return [];
  const { id: messageId, blocks: content, model, usage, stopReason } = answer;
  if (usage !== null) fold.usage = addUsage(fold.usage, usage);
  fold.lastUsage = usage ?? fold.lastUsage;
  const told = present({ model: model ?? undefined, usage: usage ?? undefined });
  const stop = stopReason === null ? {} : { stopReason };
  const message: AgentEvent = { type: "message", content, messageId, ...told, ...stop };
  return usage === null ? [message] : [message, { type: "usage", ...told }];
}

function contentOf(line: Json): readonly Json[] {
  const { content } = isJson(line.message) ? line.message : {};
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isJson) : [];
}

function wordsOf(line: Json): string {
  return contentOf(line)
    .map((block) => textField(block, "text") ?? "")
    .join("\n");
}

/** Returns true for the output of Claude Code's own commands, such as `/model`. */
function isNote(line: Json): boolean {
  return wordsOf(line).startsWith("<local-command-");
}
