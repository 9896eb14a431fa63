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

export interface AddUsageOptions {
  /** A part of the sum that `more` replaces: the usage that the same message reported before. */
  readonly instead?: Usage | undefined;
}

/** A field that no side has stays absent. */
export function addUsage(
  sum: Usage | null | undefined,
  more: Usage,
  { instead }: AddUsageOptions = {},
): Usage {
  if (sum === null || sum === undefined) return more;
  const total: { -readonly [Key in keyof Usage]: Usage[Key] } = { ...sum };
  for (const field of FIELDS) {
    const [value, old] = [more[field], instead?.[field]];
    if (typeof value === "number") total[field] = (total[field] ?? 0) + value;
    if (typeof old === "number") total[field] = (total[field] ?? 0) - old;
  }
  return total;
}
