/** Sums of token usage. */

import type { Usage } from "./message.ts";

/** The compiler refuses this list while a field of `Usage` is missing. */
const FIELDS = Object.keys({
  inputTokens: true,
  outputTokens: true,
  cacheReadTokens: true,
  cacheWriteTokens: true,
  cacheWriteHourTokens: true,
  reasoningTokens: true,
  totalTokens: true,
  costUsd: true,
} satisfies Record<keyof Usage, true>) as (keyof Usage)[];

/** A field that neither side has stays absent. */
export function addUsage(sum: Usage | null | undefined, more: Usage): Usage {
  if (sum === null || sum === undefined) return more;
  const total: { -readonly [Key in keyof Usage]: Usage[Key] } = { ...sum };
  for (const field of FIELDS) {
    const value = more[field];
    if (typeof value === "number") total[field] = (total[field] ?? 0) + value;
  }
  return total;
}
