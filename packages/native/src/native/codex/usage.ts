/** Token usage of a rollout file, each model call counted once. Pure. */

import { addUsage, type Usage } from "@continuo/core/model";
import { isJson, type Json } from "@continuo/files";

import { toText } from "./records.ts";

/**
 * Newer versions write one `token_usage_record` a call (seen in 0.169.0) next to the older `token_count`, which is also
 * repeated without a call. If a turn has such records, only they count. In other turns, a token count is added if its
 * total differs from the one before.
 */
export interface UsageState {
  sum: Usage | null;
  records: Usage | null;
  counts: Usage | null;
  lastTotal: string;
  readonly responses: Set<string>;
}

export function createUsage(): UsageState {
  return { sum: null, records: null, counts: null, lastTotal: "", responses: new Set() };
}

export function foldUsageRecord(state: UsageState, payload: Json): void {
  const usage = toUsage(payload.usage);
  if (usage === null) return;
  const response = toText(payload.response_id);
  if (response !== null && state.responses.has(response)) return;
  if (response !== null) state.responses.add(response);
  state.records = addUsage(state.records, usage);
}

export function foldTokenCount(state: UsageState, payload: Json): void {
  const info = isJson(payload.info) ? payload.info : {};
  const usage = toUsage(info.last_token_usage);
  const total = JSON.stringify(info.total_token_usage) ?? "";
  if (usage === null || total === state.lastTotal) return;
  state.lastTotal = total;
  state.counts = addUsage(state.counts, usage);
}

/** Called at the end of each turn and of the file. */
export function endUsageTurn(state: UsageState): void {
  const turn = state.records ?? state.counts;
  if (turn !== null) state.sum = addUsage(state.sum, turn);
  state.records = null;
  state.counts = null;
}

/** `input_tokens` of Codex includes cached input; that of Continuo does not. */
export function toUsage(value: unknown): Usage | null {
  if (!isJson(value) || typeof value.input_tokens !== "number") return null;
  const cached = toNumber(value.cached_input_tokens);
  const written = toNumber(value.cache_write_input_tokens);
  return {
    inputTokens: Math.max(0, value.input_tokens - cached - written),
    outputTokens: toNumber(value.output_tokens),
    cacheReadTokens: cached,
    cacheWriteTokens: written,
    reasoningTokens: toNumber(value.reasoning_output_tokens),
    totalTokens: toNumber(value.total_tokens),
  };
}

function toNumber(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
