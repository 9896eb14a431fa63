import type { UsageGroup } from "@continuo/core/wire/machine";
import { expect, test } from "vitest";
import { barsOf, sinceOfPeriod, usageChoicesIn, usageLink } from "./usage-state.ts";

const group = (key: string | null, costUsd: number | null, total: number): UsageGroup => ({
  key,
  sessions: 1,
  turns: 1,
  tokens: { input: total, output: 0, cacheRead: 0, cacheWrite: 0, total },
  costUsd,
  isByPrices: true,
  unpriced: [],
});

test("days without usage have a bar, and a group without a day has none", () => {
  expect(barsOf([group("2026-02-27", 1, 10), group("2026-03-02", null, 5), group(null, 9, 9)])).toEqual([
    { time: "2026-02-27", costUsd: 1, tokens: 10 },
    { time: "2026-02-28", costUsd: 0, tokens: 0 },
    { time: "2026-03-01", costUsd: 0, tokens: 0 },
    { time: "2026-03-02", costUsd: 0, tokens: 5 },
  ]);
  expect(barsOf([])).toEqual([]);
});

test("more than a hundred days are shown as months with the same sum", () => {
  const bars = barsOf([
    group("2025-11-30", 1, 10),
    group("2026-01-01", 2, 20),
    group("2026-01-31", 4, 40),
    group("2026-03-15", 8, 80),
  ]);
  expect(bars.map(({ time, costUsd, tokens }) => [time, costUsd, tokens])).toEqual([
    ["2025-11", 1, 10],
    ["2025-12", 0, 0],
    ["2026-01", 6, 60],
    ["2026-02", 0, 0],
    ["2026-03", 8, 80],
  ]);
});

test.each(["#/usage", "#/usage?days=all", "#/usage?days=7&measure=tokens"])(
  "the address %s stays",
  (hash) => {
    expect(usageLink(usageChoicesIn(hash))).toBe(hash);
  },
);

test("a period begins at midnight of its first day, and an address with unknown choices gives the default ones", () => {
  const now = new Date(2026, 2, 3, 15, 30);
  expect(sinceOfPeriod("7", now)).toBe(new Date(2026, 1, 25).toISOString());
  expect(sinceOfPeriod("all", now)).toBeUndefined();
  expect(usageLink(usageChoicesIn("#/usage?days=8&measure=x"))).toBe("#/usage");
});
