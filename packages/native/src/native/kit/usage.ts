/** Sums of token usage. */

import type { Usage } from "@continuo/core/model";

/** A field that neither side tells stays untold. */
export function addUsage(sum: Usage | null, more: Usage): Usage {
  if (sum === null) return more;
  const total: { -readonly [K in keyof Usage]: Usage[K] } = {
    inputTokens: sum.inputTokens + more.inputTokens,
    outputTokens: sum.outputTokens + more.outputTokens,
  };
  for (const field of OPTIONAL) {
    const a = sum[field];
    const b = more[field];
    if (a !== undefined || b !== undefined) total[field] = (a ?? 0) + (b ?? 0);
  }
  return total;
}

const OPTIONAL = [
  "cacheReadTokens",
  "cacheWriteTokens",
  "cacheWriteHourTokens",
  "reasoningTokens",
  "totalTokens",
  "costUsd",
] as const;
