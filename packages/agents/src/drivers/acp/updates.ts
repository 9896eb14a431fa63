/**
 * Converts `session/update` to events, in both versions of the protocol. It is a fold, so that repeated updates become
 * one event. Pure. An update without a matching event becomes diagnostics, verbatim.
 */

import { type AgentEvent, type Block, present, type ToolStatus, type Usage } from "@continuo/core/model";
import { entryOf, isJson, type Json } from "@continuo/files";
import { toBlock } from "./content.ts";
import { reportOf } from "./reports.ts";

/** The parts of a turn that were reported so far. */
export interface UpdateState {
  readonly calls: Set<string>;
  readonly results: Set<string>;
  /** Messages whose thoughts came in parts. */
  readonly streamedThoughts: Set<string>;
}

export function newUpdateState(): UpdateState {
  return { calls: new Set(), results: new Set(), streamedThoughts: new Set() };
}

export function eventsOf(update: Json, state: UpdateState): readonly AgentEvent[] {
  switch (update.sessionUpdate) {
    case "agent_message_chunk":
      return chunkEvents("text", update, state);
    case "agent_thought_chunk":
      return chunkEvents("thinking", update, state);
    case "agent_message":
      return isList(update.content)
        ? [{ type: "message", content: blocksOf(update.content), ...idOf(update) }]
        : [];
    case "agent_thought":
      return thoughtEvents(update, state);
    // This is the person's own prompt, which the caller already knows.
    case "user_message_chunk":
    case "user_message":
      return [];
    case "tool_call":
    case "tool_call_update":
      return toolEvents(update, state);
    case "tool_call_content_chunk":
      return [
        { type: "tool_call_update", toolCallId: textIn(update.toolCallId) ?? "", content: [update.content] },
      ];
    case "plan":
      return [{ type: "plan", entries: isList(update.entries) ? update.entries : [] }];
    case "plan_update":
      return [planOf(update.plan)];
    case "usage_update":
      return usageEvents(update);
    case "session_info_update":
      return typeof update.title === "string" ? [{ type: "title", title: update.title }] : [];
    case "current_mode_update":
      return typeof update.currentModeId === "string" ? [{ type: "mode", mode: update.currentModeId }] : [];
    case "config_option_update":
      return modeEvents(update.configOptions);
    case "notice":
    case "compaction_update":
    case "subagent_update":
      return [reportOf(update)];
    default:
      return [{ type: "diagnostics", details: update }];
  }
}

function chunkEvents(type: "text" | "thinking", update: Json, state: UpdateState): readonly AgentEvent[] {
  const block = toBlock(update.content);
  const id = idOf(update);
  if (type === "thinking" && id.messageId !== undefined) state.streamedThoughts.add(id.messageId);
  if (block.type === "text") return block.text === "" ? [] : [{ type, delta: block.text, ...id }];
  // Other content becomes a separate message, because it must not replace the parts that have the same id.
  return [{ type: "message", content: [block] }];
}

function thoughtEvents(update: Json, { streamedThoughts }: UpdateState): readonly AgentEvent[] {
  const id = idOf(update);
  const cameInParts = id.messageId !== undefined && streamedThoughts.has(id.messageId);
  if (!isList(update.content) || cameInParts) return [];
  const delta = blocksOf(update.content)
    .map((block) => (block.type === "text" ? block.text : ""))
    .join("");
  return delta === "" ? [] : [{ type: "thinking", delta, ...id }];
}

const ENDS: Readonly<Record<string, ToolStatus>> = {
  completed: "ok",
  failed: "error",
  cancelled: "cancelled",
  rejected: "denied",
};

function toolEvents(update: Json, { calls, results }: UpdateState): readonly AgentEvent[] {
  const toolCallId = textIn(update.toolCallId);
  if (toolCallId === null) return [{ type: "diagnostics", details: update }];
  const events: AgentEvent[] = [];
  const title = textIn(update.title);
  const isNew = !calls.has(toolCallId);
  calls.add(toolCallId);
  if (isNew) {
    events.push(
      present({
        type: "tool_call",
        toolCallId,
        toolName: toolNameOf(update),
        toolInput: update.rawInput,
        title: title ?? undefined,
      }),
    );
  }
  const status = textIn(update.status);
  const content = isList(update.content) && update.content.length > 0 ? update.content : null;
  if (!isNew || content !== null) {
    events.push(
      present({
        type: "tool_call_update",
        toolCallId,
        status: status ?? undefined,
        title: title ?? undefined,
        toolInput: update.rawInput,
        content: content ?? undefined,
      }),
    );
  }
  const end = status === null ? undefined : entryOf(ENDS, status);
  if (end !== undefined && !results.has(toolCallId)) {
    results.add(toolCallId);
    events.push({
      type: "tool_result",
      toolCallId,
      status: end,
      content: resultOf(content, update.rawOutput),
    });
  }
  return events;
}

/** Each adapter has the tool's own name in a different field. */
function toolNameOf({ name, _meta, kind, title }: Json): string {
  const claude = isJson(_meta) && isJson(_meta.claudeCode) ? _meta.claudeCode.toolName : undefined;
  return textIn(name) ?? textIn(claude) ?? textIn(title) ?? textIn(kind) ?? "tool";
}

/** Returns the visible content of the tool's result, else its raw output. */
function resultOf(content: readonly unknown[] | null, rawOutput: unknown): string | readonly Block[] {
  if (content !== null) return content.map(shownBlock);
  if (rawOutput === undefined || rawOutput === null) return "";
  if (isJson(rawOutput) && typeof rawOutput.output === "string") return rawOutput.output;
  return typeof rawOutput === "string" ? rawOutput : JSON.stringify(rawOutput);
}

/** Keeps a diff as a diff, for clients that can show one. */
function shownBlock(shown: unknown): Block {
  return isJson(shown) && shown.type === "content" ? toBlock(shown.content) : { type: "unknown", raw: shown };
}

function planOf(plan: unknown): AgentEvent {
  if (isJson(plan) && isList(plan.entries)) return { type: "plan", entries: plan.entries };
  return { type: "plan", entries: plan === undefined ? [] : [plan] };
}

/** In dollars; `null` if none is reported. */
export function costIn({ sessionUpdate, cost }: Json): number | null {
  const isDollars = isJson(cost) && typeof cost.amount === "number" && cost.currency === "USD";
  return isDollars && sessionUpdate === "usage_update" ? (cost.amount as number) : null;
}

/** Only the cost has an event of its own; the whole update becomes diagnostics. */
function usageEvents(update: Json): readonly AgentEvent[] {
  const costUsd = costIn(update);
  return [
    ...(costUsd === null ? [] : [{ type: "usage", costUsd } as const]),
    { type: "diagnostics", details: update },
  ];
}

function modeEvents(options: unknown): readonly AgentEvent[] {
  const current = (category: string): string | null => {
    const option = isList(options)
      ? options.find((one) => isJson(one) && (one.category ?? one.id) === category)
      : undefined;
    return isJson(option) ? textIn(option.currentValue) : null;
  };
  const [mode, model] = [current("mode"), current("model")];
  if (mode === null && model === null) return [];
  return [present({ type: "mode", mode: mode ?? undefined, model: model ?? undefined })];
}

/** Reads the usage from the answer that ends a turn: the form of the protocol's own draft, or Gemini CLI's. */
export function usageOf(answer: Json): Usage | undefined {
  const { usage, _meta } = answer;
  if (isJson(usage) && typeof usage.inputTokens === "number" && typeof usage.outputTokens === "number") {
    const { inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens, thoughtTokens, totalTokens } =
      usage;
    return {
      inputTokens,
      outputTokens,
      ...(typeof cachedReadTokens === "number" ? { cacheReadTokens: cachedReadTokens } : {}),
      ...(typeof cachedWriteTokens === "number" ? { cacheWriteTokens: cachedWriteTokens } : {}),
      ...(typeof thoughtTokens === "number" ? { reasoningTokens: thoughtTokens } : {}),
      ...(typeof totalTokens === "number" ? { totalTokens } : {}),
    };
  }
  const quota = isJson(_meta) && isJson(_meta.quota) ? _meta.quota.token_count : undefined;
  if (!isJson(quota) || typeof quota.input_tokens !== "number" || typeof quota.output_tokens !== "number") {
    return undefined;
  }
  return { inputTokens: quota.input_tokens, outputTokens: quota.output_tokens };
}

function blocksOf(content: readonly unknown[]): readonly Block[] {
  return content.map(toBlock);
}

function idOf({ messageId }: Json): { readonly messageId?: string } {
  return typeof messageId === "string" ? { messageId } : {};
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function textIn(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
