import { expect, test } from "vitest";
import { exceededBy } from "./budget.ts";
import { askedOf } from "./continuation.ts";
import { createTurn, type TurnJournal } from "./journal/index.ts";
import { assertOptions } from "./options.ts";

test("no options are valid, and so is the smallest value of each", () => {
  assertOptions({});
  assertOptions({
    continuation: "auto",
    continuationOpts: { limit: 1, maxMessages: 1, maxChars: 1, maxTokensApprox: 1 },
    adapterOpts: { anything: true },
    timeoutMs: 0,
    graceMs: 0,
    leaseMs: 1,
    storeMs: 0,
    maxParallel: 1,
    budget: { maxTokens: 0, maxCostUsd: 0, maxToolCalls: 0, maxDurationMs: 0 },
  });
});

test.each([
  [{ timeoutMs: -1 }, "timeoutMs must be a number of at least 0"],
  [{ graceMs: "5" }, "graceMs must be a number of at least 0"],
  [{ leaseMs: 0 }, "leaseMs must be a number of at least 1"],
  [{ storeMs: Number.NaN }, "storeMs must be a number of at least 0"],
  [{ maxParallel: 0 }, "maxParallel must be a number of at least 1"],
  [{ continuationOpts: null }, "continuationOpts must be an object"],
  [{ continuationOpts: "limit" }, "continuationOpts must be an object"],
  [{ continuationOpts: { limit: 0 } }, "limit must be a number of at least 1"],
  [{ continuationOpts: { limit: 1.5 } }, "limit must be a whole number"],
  [{ continuationOpts: { tokenizer: "cl100k" } }, "tokenizer must be a function"],
  [{ continuationOpts: { maxMessages: 0 } }, "maxMessages must be a number of at least 1"],
  [{ continuationOpts: { maxChars: 0 } }, "maxChars must be a number of at least 1"],
  [{ continuationOpts: { maxTokensApprox: 0 } }, "maxTokensApprox must be a number of at least 1"],
  [{ adapterOpts: "x" }, "adapterOpts must be an object"],
  [{ adapterOpts: null }, "adapterOpts must be an object"],
  [{ budget: 7 }, "budget must be an object"],
  [{ budget: null }, "budget must be an object"],
  [{ budget: { maxTokens: -1 } }, "maxTokens must be a number of at least 0"],
  [{ budget: { maxCostUsd: "1" } }, "maxCostUsd must be a number of at least 0"],
  [{ budget: { maxToolCalls: Number.NaN } }, "maxToolCalls must be a number of at least 0"],
  [{ budget: { maxDurationMs: -1 } }, "maxDurationMs must be a number of at least 0"],
  [{ continuation: "resume" }, 'there is no continuation "resume"'],
])("%j is refused", (options, message) => {
  expect(() => assertOptions(options as never)).toThrow(expect.objectContaining({ code: "usage", message }));
});

test.each([
  [false, "new"],
  [true, "auto"],
  ["auto", "auto"],
  ["replay", "replay"],
  ["native", "native"],
] as const)("the continuation %j is %s", (given, asked) => {
  expect(askedOf(given)).toBe(asked);
});

test("an error about a continuation names the existing ones", () => {
  expect(() => askedOf("new" as never)).toThrow(
    expect.objectContaining({ hint: "Use false, true, auto, replay or native." }),
  );
});

const USED: TurnJournal = {
  ...createTurn(),
  toolCalls: 3,
  usage: { total: { inputTokens: 4, outputTokens: 6 }, costUsd: 0.25 },
};

test.each([
  [{}, null],
  [{ maxTokens: 10, maxCostUsd: 0.25, maxToolCalls: 3 }, null],
  [{ maxTokens: 9 }, { limit: "maxTokens", value: 10, allowed: 9 }],
  [{ maxCostUsd: 0.2 }, { limit: "maxCostUsd", value: 0.25, allowed: 0.2 }],
  [{ maxToolCalls: 2 }, { limit: "maxToolCalls", value: 3, allowed: 2 }],
])("of the budget %j the turn exceeds %j", (budget, exceeded) => {
  expect(exceededBy(USED, budget)).toEqual(exceeded);
});

test("a turn that used nothing is within a budget of nothing", () => {
  expect(exceededBy(createTurn(), { maxTokens: 0, maxCostUsd: 0, maxToolCalls: 0 })).toBeNull();
});

test("an unknown option is refused, and the error names the option that was meant", () => {
  expect(() => assertOptions({ timeoutMS: 1 } as never)).toThrow(
    expect.objectContaining({
      code: "usage",
      message: "there is no option timeoutMS of a run",
      hint: "Use timeoutMs.",
    }),
  );
});
