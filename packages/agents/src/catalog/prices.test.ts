import { expect, test } from "vitest";
import { costOf } from "./prices.ts";

const usage = {
  inputTokens: 1_000_000,
  outputTokens: 100_000,
  cacheReadTokens: 2_000_000,
  cacheWriteTokens: 0,
};

test.each([
  ["claude-sonnet-4-5-20250929", 3 + 1.5 + 0.6],
  ["anthropic/claude-sonnet-4-5", 3 + 1.5 + 0.6],
  ["claude-sonnet-4-5[1m]", 3 + 1.5 + 0.6],
  ["gpt-5-2025-08-07", 1.25 + 1 + 0.25],
  ["gemini-2.5-flash-lite", 0.1 + 0.04 + 0.02],
])("the list prices hold for %s", (model, usd) => {
  const cost = costOf([{ model, usage }], {});
  expect(cost.usd).toBeCloseTo(usd, 9);
  expect(cost).toMatchObject({ unpriced: [], isByPrices: true });
});

test("a longer name is another model, which has no price, and tokens without a model have none", () => {
  const parts = ["gpt-5-codex-next", "constructor", null].map((model) => ({ model, usage }));
  expect(costOf(parts, {})).toEqual({
    usd: null,
    unpriced: ["gpt-5-codex-next", "constructor", null],
    isByPrices: false,
  });
});

test("prices of the user go before the list, and what the agent reports before both", () => {
  const own = { "gpt-5": { input: 10, output: 0 } };
  expect(costOf([{ model: "gpt-5", usage }], own).usd).toBeCloseTo(30, 9);
  const reported = costOf([{ model: "gpt-5", usage: { ...usage, costUsd: 0.5 } }], own);
  expect(reported).toEqual({ usd: 0.5, unpriced: [], isByPrices: false });
});

test("a cost of a part is given with what is missing from it", () => {
  const cost = costOf(
    [
      { model: "o3", usage: { inputTokens: 1_000_000, outputTokens: 0 } },
      { model: "x", usage },
    ],
    {},
  );
  expect(cost).toEqual({ usd: 2, unpriced: ["x"], isByPrices: true });
});
