import { expect, test } from "vitest";
import { addUsage } from "./usage.ts";

test("a value that neither side knows stays unknown", () => {
  const one = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3 };
  expect(addUsage(null, one)).toEqual(one);
  expect(addUsage(one, { inputTokens: 10, outputTokens: 20, costUsd: 0.5 })).toEqual({
    inputTokens: 11,
    outputTokens: 22,
    cacheReadTokens: 3,
    costUsd: 0.5,
  });
});

test("usage that is reported again replaces the earlier report in the sum", () => {
  const sum = { inputTokens: 30, outputTokens: 5, cacheReadTokens: 7 };
  const instead = { inputTokens: 10, outputTokens: 1, cacheReadTokens: 7 };
  const more = { inputTokens: 10, outputTokens: 9, costUsd: 0.5 };
  expect(addUsage(sum, more, { instead })).toEqual({
    inputTokens: 30,
    outputTokens: 13,
    cacheReadTokens: 0,
    costUsd: 0.5,
  });
});
