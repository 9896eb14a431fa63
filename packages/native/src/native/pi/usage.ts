/** Token usage as pi keeps it (seen in 0.73.1, 0.87.1 and 1.5.2). Pure. */

import type { Usage } from "@continuo/core/model";
import { isJson, optional } from "@continuo/files";

/** `input` counts only uncached tokens, `output` includes `reasoning`; cost is in US dollars. `null` if none is recorded. */
export function toUsage(value: unknown): Usage | null {
  if (!isJson(value)) return null;
  const inputTokens = toCount(value.input);
  const outputTokens = toCount(value.output);
  if (inputTokens === null && outputTokens === null) return null;
  const cost = isJson(value.cost) ? toCount(value.cost.total) : null;
  return {
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    ...optional("cacheReadTokens", toCount(value.cacheRead)),
    ...optional("cacheWriteTokens", toCount(value.cacheWrite)),
    ...optional("reasoningTokens", toCount(value.reasoning)),
    ...optional("totalTokens", toCount(value.totalTokens)),
    ...optional("costUsd", cost),
  };
}

function toCount(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}
