/**
 * Converts the records of `pi --mode rpc` during a turn to events. Pure. The records were seen in 1.5.2.
 *
 * Messages have no ids here, so they are counted, and `prefix` distinguishes processes.
 */

import { type AgentEvent, addUsage, type Block, type Usage } from "@continuo/core/model";
import { isJson, type Json, optional, textField } from "@continuo/files";

import { toBlocks, toUsage } from "@continuo/native/pi";
import { retryEvent } from "../link/index.ts";

export interface PiFold {
  readonly prefix: string;
  count: number;
  /** Calls without a result: names by id. */
  readonly calls: Map<string, string>;
  usage: Usage | null;
  /** The usage of only the last answer. */
  lastUsage: Usage | null;
  /** pi's own term for the end of the last answer; if it is `error`, `failure` is the cause. */
  stopReason: string | null;
  failure: string | null;
}

export function createPiFold(prefix: string): PiFold {
  return {
    prefix,
    count: 0,
    calls: new Map(),
    usage: null,
    lastUsage: null,
    stopReason: null,
    failure: null,
  };
}

/** Records that only say that something begins, ends or changes. */
const SILENT: readonly string[] = [
  "agent_start",
  "agent_end",
  "agent_settled",
  "turn_start",
  "turn_end",
  "queue_update",
  "thinking_level_changed",
  "auto_retry_end",
];

export function foldRecord(fold: PiFold, record: Json): readonly AgentEvent[] {
  const { type } = record;
  if (SILENT.includes(String(type))) return [];
  switch (type) {
    case "message_start":
      if (isJson(record.message) && record.message.role === "assistant") fold.count += 1;
      return [];
    case "message_update":
      return isJson(record.assistantMessageEvent) ? foldPiece(fold, record.assistantMessageEvent) : [];
    case "message_end":
      return isJson(record.message) ? foldMessage(fold, record.message) : [];
    case "tool_execution_start":
    case "tool_execution_update":
    case "tool_execution_end":
      return foldTool(fold, record);
    case "session_info_changed":
      return [{ type: "title", title: textField(record, "name") ?? "" }];
    case "auto_retry_start":
      return [
        retryEvent({
          why: textField(record, "errorMessage") ?? "the model did not answer",
          attempt: record.attempt,
          attempts: record.maxAttempts,
          waitMs: record.delayMs,
          details: record,
        }),
      ];
    case "extension_error":
      return [
        { type: "error", message: textField(record, "error") ?? "An extension failed.", details: record },
      ];
    default:
      return [{ type: "diagnostics", message: `pi: ${String(type)}`, details: record }];
  }
}

/** Ends the calls that are still open at the end of a turn, and prepares the fold for the next turn. */
export function finishTurn(fold: PiFold): readonly AgentEvent[] {
  const events = [...fold.calls].map(
    ([toolCallId, toolName]): AgentEvent => ({
      type: "tool_result",
      toolCallId,
      toolName,
      content: "",
      status: "interrupted",
    }),
  );
  fold.calls.clear();
  fold.usage = null;
  fold.stopReason = null;
  fold.failure = null;
  return events;
}

function idOf(fold: PiFold): string {
  return `${fold.prefix}-${fold.count}`;
}

function foldPiece(fold: PiFold, piece: Json): readonly AgentEvent[] {
  const delta = textField(piece, "delta");
  if (delta === null || delta === "") return [];
  if (piece.type === "text_delta") return [{ type: "text", delta, messageId: idOf(fold) }];
  if (piece.type === "thinking_delta") return [{ type: "thinking", delta, messageId: idOf(fold) }];
  return [];
}

function foldMessage(fold: PiFold, message: Json): readonly AgentEvent[] {
  switch (message.role) {
    case "assistant":
      return foldAnswer(fold, message);
    // These messages were sent by Continuo, are only for the model, or are reported by the tool's own records.
    case "user":
    case "system":
    case "toolResult":
      return [];
    default:
      return [{ type: "diagnostics", message: `pi: ${String(message.role)}`, details: message }];
  }
}

function foldAnswer(fold: PiFold, message: Json): readonly AgentEvent[] {
  const content = toBlocks(message.content, { api: textField(message, "api") });
  const model = textField(message, "model");
  const usage = toUsage(message.usage);
  fold.stopReason = textField(message, "stopReason");
  fold.failure = textField(message, "errorMessage");
  const told = { ...optional("model", model), ...optional("usage", usage) };
  const stop = optional("stopReason", fold.stopReason);
  const events: AgentEvent[] = [];
  if (content.length > 0) events.push({ type: "message", content, messageId: idOf(fold), ...told, ...stop });
  if (usage === null || usage.inputTokens + usage.outputTokens === 0) return events;
  fold.usage = addUsage(fold.usage, usage);
  fold.lastUsage = usage;
  const cost = fold.usage.costUsd === undefined ? {} : { costUsd: fold.usage.costUsd };
  return [...events, { type: "usage", total: fold.usage, ...told, ...cost }];
}

function foldTool(fold: PiFold, record: Json): readonly AgentEvent[] {
  const toolCallId = textField(record, "toolCallId") ?? "";
  const toolName = textField(record, "toolName") ?? "";
  if (record.type === "tool_execution_start") {
    fold.calls.set(toolCallId, toolName);
    return [{ type: "tool_call", toolCallId, toolName, toolInput: record.args, messageId: idOf(fold) }];
  }
  if (record.type === "tool_execution_update") {
    const content = contentOf(record.partialResult);
    return content.length === 0
      ? []
      : [{ type: "tool_call_update", toolCallId, status: "in_progress", content }];
  }
  fold.calls.delete(toolCallId);
  const status = record.isError === true ? "error" : "ok";
  return [{ type: "tool_result", toolCallId, toolName, content: contentOf(record.result), status }];
}

function contentOf(result: unknown): readonly Block[] {
  return isJson(result) ? toBlocks(result.content) : [];
}
