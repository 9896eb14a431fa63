import { expect, test } from "vitest";
import { usageSince } from "./summed-usage.ts";

const FIRST = { inputTokens: 42, outputTokens: 9, totalTokens: 51 };

test("the first turn has the whole sum, a later turn has the difference, and a failed turn has nothing", () => {
  expect(usageSince(FIRST, null)).toEqual(FIRST);
  const total = { inputTokens: 157, outputTokens: 18, totalTokens: 175 };
  expect(usageSince(total, FIRST)).toEqual({ inputTokens: 115, outputTokens: 9, totalTokens: 124 });
  expect(usageSince(FIRST, FIRST)).toEqual({ inputTokens: 0, outputTokens: 0, totalTokens: 0 });
});

test("a sum that is smaller than the previous one begins a new count", () => {
  expect(usageSince(FIRST, { inputTokens: 100, outputTokens: 9 })).toEqual(FIRST);
});
