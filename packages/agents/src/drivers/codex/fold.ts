/**
 * Converts the notifications that `codex app-server` (seen in 0.169.0) sends during a turn to events. Pure.
 *
 * The answer of a model comes as items: each item is started, sent in pieces, and completed. Each answer and each piece
 * of reasoning is a separate item, and becomes a separate message.
 */

import { type AgentEvent, addUsage, type ContextUse, type Usage } from "@continuo/core/model";
import { isJson, type Json, textField } from "@continuo/files";

import { retryEvent, toContextUse } from "../link/index.ts";
import { isToolItem, type ToolCall, toCall, toResult } from "./items.ts";

export interface CodexFold {
  readonly threadId: string;
  /** The current turn; notifications of other turns are ignored. */
  turnId: string | null;
  model: string | null;
  /** Calls without a result, by id. */
  readonly calls: Map<string, ToolCall>;
  /** The end of the output of each running command, by the id of the call. */
  readonly printed: Map<string, string>;
  /**
   * The last sum of tokens that Codex reported for the thread. Codex also reports the same sum again when the model was
   * not called.
   */
  lastTotal: string | null;
  usage: Usage | null;
  context: ContextUse | null;
}

/** Only the end of a running command's output is reported; its result has all of it. */
const MAX_PRINTED_CHARS = 4_000;

export function createCodexFold(threadId: string, lastTotal: string | null = null): CodexFold {
  return {
    threadId,
    turnId: null,
    model: null,
    calls: new Map(),
    printed: new Map(),
    lastTotal,
    usage: null,
    context: null,
  };
}

/** These notifications report states that nobody here stores. */
const SILENT: readonly string[] = [
  "account/rateLimits/updated",
  "account/updated",
  "app/list/updated",
  "item/commandExecution/terminalInteraction",
  "item/fileChange/outputDelta",
  "mcpServer/startupStatus/updated",
  "remoteControl/status/changed",
  "serverRequest/resolved",
  "skills/changed",
  "thread/closed",
  "thread/goal/cleared",
  "thread/readState/changed",
  "thread/started",
  "thread/status/changed",
  "turn/completed",
  "turn/diff/updated",
  "turn/started",
];

export function foldNotification(fold: CodexFold, method: string, params: Json): readonly AgentEvent[] {
  // Notifications of other threads, such as those of sub-agents, are ignored: the item of the call that started a
  // sub-agent reports what its thread does.
  const isOther = typeof params.threadId === "string" && params.threadId !== fold.threadId;
  if (isOther || SILENT.includes(method)) return [];
  if (method.startsWith("item/")) return foldItemNews(fold, method, params);
  switch (method) {
    case "thread/tokenUsage/updated":
      return foldUsage(fold, params);
    case "thread/name/updated":
      return [{ type: "title", title: textField(params, "threadName") ?? "" }];
    case "thread/settings/updated":
      return changeModel(
        fold,
        isJson(params.threadSettings) ? textField(params.threadSettings, "model") : null,
      );
    case "model/rerouted":
      return changeModel(fold, textField(params, "toModel"));
    case "turn/plan/updated":
      return [{ type: "plan", entries: Array.isArray(params.plan) ? params.plan : [] }];
    case "error":
      return foldError(params);
    default:
      return [{ type: "diagnostics", message: noticeOf(method, params), details: { method, params } }];
  }
}

/** Ends the calls that are still open at the end of a turn, and prepares the fold for the next turn. */
export function finishTurn(fold: CodexFold): readonly AgentEvent[] {
  const events = [...fold.calls].map(
    ([toolCallId, { toolName }]): AgentEvent => ({
      type: "tool_result",
      toolCallId,
      toolName,
      content: fold.printed.get(toolCallId) ?? "",
      status: "interrupted",
    }),
  );
  fold.calls.clear();
  fold.printed.clear();
  fold.turnId = null;
  fold.usage = null;
  return events;
}

export function changeModel(fold: CodexFold, model: string | null): readonly AgentEvent[] {
  if (model === null || model === fold.model) return [];
  fold.model = model;
  return [{ type: "mode", model }];
}

function foldItemNews(fold: CodexFold, method: string, params: Json): readonly AgentEvent[] {
  const messageId = textField(params, "itemId") ?? "";
  const delta = textField(params, "delta") ?? "";
  switch (method) {
    case "item/agentMessage/delta":
      return [{ type: "text", delta, messageId }];
    case "item/reasoning/summaryTextDelta":
    case "item/reasoning/textDelta":
      return [{ type: "thinking", delta, messageId }];
    case "item/reasoning/summaryPartAdded":
      return Number(params.summaryIndex) > 0 ? [{ type: "thinking", delta: "\n\n", messageId }] : [];
    case "item/plan/delta":
      return [];
    case "item/commandExecution/outputDelta":
      return printMore(fold, messageId, delta);
    case "item/fileChange/patchUpdated":
      return [{ type: "tool_call_update", toolCallId: messageId, toolInput: { changes: params.changes } }];
    case "item/mcpToolCall/progress":
      return [
        { type: "tool_call_update", toolCallId: messageId, content: textField(params, "message") ?? "" },
      ];
    case "item/started":
      return isJson(params.item) && isToolItem(params.item) ? startCall(fold, params.item) : [];
    case "item/completed":
      return isJson(params.item) ? completeItem(fold, params.item) : [];
    default:
      return [{ type: "diagnostics", message: `Codex: ${method}`, details: { method, params } }];
  }
}

function printMore(fold: CodexFold, toolCallId: string, delta: string): readonly AgentEvent[] {
  const printed = ((fold.printed.get(toolCallId) ?? "") + delta).slice(-MAX_PRINTED_CHARS);
  fold.printed.set(toolCallId, printed);
  return [{ type: "tool_call_update", toolCallId, status: "in_progress", content: printed }];
}

function startCall(fold: CodexFold, item: Json): readonly AgentEvent[] {
  const call = toCall(item);
  fold.calls.set(call.toolCallId, call);
  return [call];
}

function completeItem(fold: CodexFold, item: Json): readonly AgentEvent[] {
  const messageId = String(item.id);
  if (isToolItem(item)) {
    const isTold = fold.calls.delete(messageId);
    fold.printed.delete(messageId);
    return isTold ? [toResult(item)] : [toCall(item), toResult(item)];
  }
  const model = fold.model === null ? {} : { model: fold.model };
  switch (item.type) {
    // Codex repeats the prompt, which is already known.
    case "userMessage":
      return [];
    case "agentMessage":
      return [{ type: "message", content: [{ type: "text", text: String(item.text) }], messageId, ...model }];
    case "reasoning": {
      const text = [item.summary, item.content]
        .flatMap((part) => (Array.isArray(part) ? part : []))
        .join("\n\n");
      if (text === "") return [];
      return [{ type: "message", content: [{ type: "thinking", text }], messageId, ...model }];
    }
    case "plan":
      return [{ type: "plan", entries: [{ text: item.text }] }];
    case "contextCompaction":
      return [{ type: "diagnostics", message: "Codex summed up the conversation.", details: item }];
    default:
      return [{ type: "diagnostics", message: `Codex: ${String(item.type)}`, details: item }];
  }
}

/** `inputTokens` of Codex counts cached input too; ours does not. */
function foldUsage(fold: CodexFold, { tokenUsage, turnId }: Json): readonly AgentEvent[] {
  if (!isJson(tokenUsage) || !isJson(tokenUsage.last)) return [];
  const { last } = tokenUsage;
  fold.context = toContextUse(last.totalTokens, tokenUsage.modelContextWindow) ?? fold.context;
  const total = JSON.stringify(tokenUsage.total);
  const isOld = total === fold.lastTotal || turnId !== fold.turnId;
  fold.lastTotal = total;
  if (isOld) return [];
  const cached = numberOf(last.cachedInputTokens);
  const written = numberOf(last.cacheWriteInputTokens);
  const usage: Usage = {
    inputTokens: Math.max(0, numberOf(last.inputTokens) - cached - written),
    outputTokens: numberOf(last.outputTokens),
    cacheReadTokens: cached,
    cacheWriteTokens: written,
    reasoningTokens: numberOf(last.reasoningOutputTokens),
    totalTokens: numberOf(last.totalTokens),
  };
  fold.usage = addUsage(fold.usage, usage);
  const model = fold.model === null ? {} : { model: fold.model };
  return [{ type: "usage", usage, total: fold.usage, ...model }];
}

function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/** The turn itself reports the error that ends it. */
function foldError({ error, willRetry }: Json): readonly AgentEvent[] {
  if (willRetry !== true || !isJson(error)) return [];
  // The message is `Reconnecting... 2/5`; another field has the reason.
  const message = textField(error, "message") ?? "";
  const [, attempt, attempts] = /(\d+)\/(\d+)$/u.exec(message) ?? [];
  if (attempt === undefined)
    return [{ type: "error", message: message || "Codex tries again.", details: error }];
  const status = statusIn(error.codexErrorInfo);
  const why = status === null ? (textField(error, "additionalDetails") ?? "the connection was lost") : status;
  return [retryEvent({ why, attempt: Number(attempt), attempts: Number(attempts), details: error })];
}

/** Reads the status in e.g. `{ responseStreamDisconnected: { httpStatusCode: 529 } }`. */
function statusIn(info: unknown): string | null {
  const [cause] = isJson(info) ? Object.values(info) : [];
  return isJson(cause) && typeof cause.httpStatusCode === "number"
    ? `the model answered ${cause.httpStatusCode}`
    : null;
}

function noticeOf(method: string, params: Json): string {
  return textField(params, "message") ?? textField(params, "summary") ?? `Codex: ${method}`;
}
