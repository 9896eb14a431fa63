/** The budget of a run. */

import { assertKnownOptions, assertNumbers, type KnownOptions } from "@continuo/core/model";
import { type TurnJournal, tokensOf, usageOf } from "./journal/index.ts";
import type { ExceededLimit } from "./stops.ts";

/**
 * A limit that is left out does not apply. A run that uses more than a limit is cancelled, and its events then contain
 * `budget_exceeded`.
 */
export interface RunBudget {
  /** Input, output and cache together, or the agent's own total. */
  readonly maxTokens?: number;
  readonly maxCostUsd?: number;
  readonly maxToolCalls?: number;
  readonly maxDurationMs?: number;
}

const LIMITS: KnownOptions<RunBudget> = {
  maxTokens: true,
  maxCostUsd: true,
  maxToolCalls: true,
  maxDurationMs: true,
};

const LEAST = { maxTokens: 0, maxCostUsd: 0, maxToolCalls: 0, maxDurationMs: 0 } as const;

/** Errors: `usage`. */
export function assertBudget(budget: RunBudget): void {
  assertKnownOptions("budget", budget, LIMITS);
  assertNumbers(budget, LEAST);
}

/** Returns the limit that the turn has exceeded, according to the reported usage. */
export function exceededBy(turn: TurnJournal, budget: RunBudget): ExceededLimit | null {
  const usage = usageOf(turn.usage);
  const used = {
    maxTokens: usage === undefined ? 0 : tokensOf(usage),
    maxCostUsd: usage?.costUsd ?? 0,
    maxToolCalls: turn.toolCalls,
  };
  for (const limit of ["maxTokens", "maxCostUsd", "maxToolCalls"] as const) {
    const allowed = budget[limit];
    if (allowed !== undefined && used[limit] > allowed) return { limit, value: used[limit], allowed };
  }
  return null;
}
