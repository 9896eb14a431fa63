/** Tokens of a run, from what agents report. */

import { expect, test } from "vitest";
import type { AgentEvent } from "../../model/index.ts";
import { countUsage, tokensOf, usageOf } from "./usage.ts";

test.each([
  ["camelCase", { inputTokens: 3, outputTokens: 4 }],
  ["snake_case, as many APIs report it", { input_tokens: 3, output_tokens: 4 }],
])("tokens in %s are counted, so that a budget sees them", (_case, usage) => {
  const event = { type: "usage", usage } as unknown as AgentEvent;
  const sums = countUsage(countUsage({}, event), event);
  expect(usageOf(sums)).toEqual({ inputTokens: 6, outputTokens: 8 });
  expect(tokensOf(usageOf(sums) ?? { inputTokens: 0, outputTokens: 0 })).toBe(14);
});
