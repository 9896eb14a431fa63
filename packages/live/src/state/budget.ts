/** The budget of a session. It warns at 80 %; at 100 % no model is called, but evidence is still accepted. Pure. */

import { present } from "@continuo/core/model";
import { type BudgetState, LIMITS, type LiveBudget, type LiveCost } from "../kit/index.ts";
import type { LiveFold } from "./fold.ts";

/** The used share of the tighter limit; 0 without a budget. */
export function usedShare(
  { inputTokens, outputTokens, costUsd }: LiveCost,
  budget: LiveBudget | null,
): number {
  const { maxTokens, maxCostUsd } = budget ?? {};
  const shares = [
    maxTokens === undefined ? 0 : (inputTokens + outputTokens) / maxTokens,
    maxCostUsd === undefined ? 0 : costUsd / maxCostUsd,
  ];
  return Math.max(...shares);
}

/** The tighter of the server's budget and the one that the client gave the session. */
export function budgetOf(
  { ownBudget }: Pick<LiveFold, "ownBudget">,
  budget: LiveBudget | null,
): LiveBudget | null {
  if (ownBudget === null || budget === null) return ownBudget ?? budget;
  const lower = (a: number | undefined, b: number | undefined): number | undefined =>
    a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
  return present({
    maxTokens: lower(ownBudget.maxTokens, budget.maxTokens),
    maxCostUsd: lower(ownBudget.maxCostUsd, budget.maxCostUsd),
  });
}

export function budgetState(cost: LiveCost, budget: LiveBudget | null): BudgetState {
  const share = usedShare(cost, budget);
  if (share >= 1) return "spent";
  return share >= LIMITS.budgetWarning ? "warning" : "normal";
}
