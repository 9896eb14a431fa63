import { expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { readPriceList, savePriceList } from "./price-file.ts";
import { costOf, type PriceMap, type Prices, parsePriceLines, priceOf, shippedPrices } from "./prices.ts";

const pricesWith = (own: PriceMap): Prices => ({ own, list: shippedPrices() });
const LISTED = pricesWith({});

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
  // The names in the sessions of today's agents.
  ["claude-opus-5-5", 4 + 2 + 0.4],
  ["claude-sonnet-4.6", 3 + 1.5 + 0.6],
  ["gpt-6-sol", 2 + 1 + 0.4],
  ["gpt-5-2025-08-07", 1.25 + 1 + 0.25],
  ["gemini-2.5-flash-lite", 0.1 + 0.04 + 0.02],
])("the list prices are used for %s", (model, usd) => {
  const cost = costOf([{ model, usage }], LISTED);
  expect(cost.usd).toBeCloseTo(usd, 9);
  expect(cost).toMatchObject({ unpriced: [], isByPrices: true });
});

test("a longer name is another model, which has no price, and tokens without a model have none", () => {
  const parts = ["gpt-5-codex-next", "constructor", null].map((model) => ({ model, usage }));
  expect(costOf(parts, LISTED)).toEqual({
    usd: null,
    unpriced: ["gpt-5-codex-next", "constructor", null],
    isByPrices: false,
  });
});

test("prices of the user have priority over the list, and a cost that the agent reports has priority over both", () => {
  const own = pricesWith({ "gpt-5": { input: 10, output: 0 } });
  expect(costOf([{ model: "gpt-5", usage }], own).usd).toBeCloseTo(30, 9);
  const reported = costOf([{ model: "gpt-5", usage: { ...usage, costUsd: 0.5 } }], own);
  expect(reported).toEqual({ usd: 0.5, unpriced: [], isByPrices: false });
});

test("a partial cost is returned with the models that it does not include", () => {
  const cost = costOf(
    [
      { model: "o3", usage: { inputTokens: 1_000_000, outputTokens: 0 } },
      { model: "x", usage },
    ],
    LISTED,
  );
  expect(cost).toEqual({ usd: 2, unpriced: ["x"], isByPrices: true });
});

test("tokens that are cached for an hour have the list's price for an hour, and other written tokens its price of a write", () => {
  const own = pricesWith({ x: { input: 1, output: 0, cacheRead: 0, cacheWrite: 1.25, cacheWriteHour: 2 } });
  const written = { ...usage, inputTokens: 0, cacheWriteTokens: 3_000_000 };
  const parts = (hours: number): { model: string; usage: typeof written }[] => [
    { model: "x", usage: { ...written, ...(hours === 0 ? {} : { cacheWriteHourTokens: hours }) } },
  ];
  expect(costOf(parts(0), own).usd).toBeCloseTo(3.75, 9);
  expect(costOf(parts(2_000_000), own).usd).toBeCloseTo(1.25 + 4, 9);
  const unlisted = pricesWith({ x: { input: 1, output: 0, cacheWrite: 1.25 } });
  expect(costOf(parts(2_000_000), unlisted).usd).toBeCloseTo(3.75 + 2, 9);
});

test("no more tokens than were written to the cache have the price of an hour, and a model without tokens needs no price", () => {
  const own = pricesWith({ x: { input: 1, output: 0, cacheWrite: 1, cacheWriteHour: 2 } });
  const written = { inputTokens: 0, outputTokens: 0, cacheWriteTokens: 1_000_000 };
  expect(costOf([{ model: "x", usage: { ...written, cacheWriteHourTokens: 9_000_000 } }], own).usd).toBe(2);
  const nothing = { inputTokens: 0, outputTokens: 0, costUsd: 0 };
  expect(costOf([{ model: "unheard-of", usage: nothing }], own)).toEqual({
    usd: null,
    unpriced: [],
    isByPrices: false,
  });
});

test("a price for the whole name of a model, with its provider, is used before one for the bare name", () => {
  const [whole, bare] = [2, 1].map((input) => ({ input, output: 0 }));
  const own = pricesWith({ "near/x": whole, x: bare } as PriceMap);
  expect(["near/X", "far/x", "x-20260101"].map((name) => priceOf(name, own))).toEqual([whole, bare, bare]);
});

test("a line of prices may leave out a price in between, and a name with a date also prices the name without it", () => {
  const lines = "x y | 1 2 - 3\nz-20260101 | 4 5\nz | 6 7\nz-20260202 | 8 9\n";
  expect({ ...parsePriceLines(lines) }).toEqual({
    x: { input: 1, output: 2, cacheWrite: 3 },
    y: { input: 1, output: 2, cacheWrite: 3 },
    "z-20260101": { input: 4, output: 5 },
    z: { input: 6, output: 7 },
    "z-20260202": { input: 8, output: 9 },
  });
});

test("a saved list has the prices of reads of the cache, of writes to it, and of writes for an hour", () => {
  const places = { home: scratchFolder("prices"), env: {} };
  const table = JSON.stringify({
    "new-model": {
      input_cost_per_token: 0.000_003,
      output_cost_per_token: 0.000_015,
      cache_read_input_token_cost: 0.000_000_3,
      cache_creation_input_token_cost: 0.000_003_75,
      cache_creation_input_token_cost_above_1hr: 0.000_006,
    },
  });
  savePriceList(places, { table, asOf: "2099-01-31", source: "a file" });
  const { prices } = readPriceList(places);
  expect(prices["new-model"]).toEqual({
    input: 3,
    output: 15,
    cacheRead: 0.3,
    cacheWrite: 3.75,
    cacheWriteHour: 6,
  });
});
