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
