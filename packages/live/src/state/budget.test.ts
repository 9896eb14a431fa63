import { expect, test } from "vitest";
import { budgetOf, budgetState, usedShare } from "./budget.ts";

const NONE = { modelCalls: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 };

test("the tighter of two limits counts, and tokens are those that were read and written", () => {
  const budget = { maxTokens: 100, maxCostUsd: 2 };
  expect(usedShare({ ...NONE, inputTokens: 10, outputTokens: 40 }, budget)).toBe(0.5);
  expect(usedShare({ ...NONE, outputTokens: 40, costUsd: 1.5 }, budget)).toBe(0.75);
  expect(usedShare({ ...NONE, inputTokens: 1_000, costUsd: 1_000 }, null)).toBe(0);
});

test("a session cannot exceed the budget of its server, whatever budget its client gave it", () => {
  const server = { maxTokens: 100, maxCostUsd: 2 };
  expect(budgetOf({ ownBudget: { maxTokens: 1_000, maxCostUsd: 1 } }, server)).toEqual({
    maxTokens: 100,
    maxCostUsd: 1,
  });
  expect(budgetOf({ ownBudget: { maxTokens: 50 } }, server)).toEqual({ maxTokens: 50, maxCostUsd: 2 });
  expect(budgetOf({ ownBudget: null }, server)).toEqual(server);
  expect(budgetOf({ ownBudget: { maxTokens: 50 } }, null)).toEqual({ maxTokens: 50 });
});

test("a budget warns at 80 %, and is spent at 100 %", () => {
  const stateAt = (inputTokens: number) => budgetState({ ...NONE, inputTokens }, { maxTokens: 100 });
  expect([79, 80, 99, 100].map(stateAt)).toEqual(["normal", "warning", "warning", "spent"]);
  expect(budgetState({ ...NONE, costUsd: 9 }, null)).toBe("normal");
});
