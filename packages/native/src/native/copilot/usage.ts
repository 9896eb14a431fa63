/** Token usage as Copilot keeps it, in records of their own (seen in 1.0.102). Pure. */

import type { Usage } from "@continuo/core/model";
import { isJson, type Json, optional } from "@continuo/files";
import { dataOf } from "./records.ts";

/** The usage that a record holds: `inputTokens` counts cached tokens too. `null` if it holds none. */
export function usageIn(record: Json): Usage | null {
  const { usage } = dataOf(record);
  if (record.type !== "session.usage_record" || !isJson(usage)) return null;
  const input = toCount(usage.inputTokens);
  const output = toCount(usage.outputTokens);
  if (input === null && output === null) return null;
  const read = toCount(usage.cacheReadTokens) ?? 0;
  const written = toCount(usage.cacheWriteTokens) ?? 0;
  return {
    inputTokens: Math.max(0, (input ?? 0) - read - written),
    outputTokens: output ?? 0,
    ...(read === 0 ? {} : { cacheReadTokens: read }),
    ...(written === 0 ? {} : { cacheWriteTokens: written }),
    ...optional("reasoningTokens", toCount(usage.reasoningTokens) || null),
  };
}

function toCount(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}
