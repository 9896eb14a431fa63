/** The budget of a session. It warns at 80 %; at 100 % no model is called, but evidence is still accepted. Pure. */

import { type BudgetState, LIMITS, type LiveBudget, type LiveCost } from "../kit/index.ts";

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

export function budgetState(cost: LiveCost, budget: LiveBudget | null): BudgetState {
  const share = usedShare(cost, budget);
  if (share >= 1) return "spent";
  return share >= LIMITS.budgetWarning ? "warning" : "normal";
}
