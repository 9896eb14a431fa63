/** Tokens of a run, from what agents report. */

import { type AgentEvent, addUsage } from "@continuo/core/model";
import { expect, test } from "vitest";
import { countUsage, tokensOf, type UsageSums, usageOf } from "./usage.ts";

function count(...events: readonly unknown[]) {
  return usageOf(events.reduce((sums: object, event) => countUsage(sums, event as AgentEvent), {}));
}

const A = { inputTokens: 3, outputTokens: 4 };
const B = { inputTokens: 10, outputTokens: 20 };
const SUM = { inputTokens: 13, outputTokens: 24 };

test.each([
  ["camelCase", { inputTokens: 3, outputTokens: 4 }],
  ["snake_case, as many APIs report it", { input_tokens: 3, output_tokens: 4 }],
])("tokens in %s are counted, so that a budget sees them", (_case, usage) => {
  expect(count({ type: "usage", usage }, { type: "usage", usage })).toEqual({
    inputTokens: 6,
    outputTokens: 8,
  });
});

test.each<[string, readonly unknown[], unknown]>([
  ["nothing", [{ type: "text" }, { type: "message" }, { type: "usage" }], undefined],
  [
    "calls of the model are added",
    [
      { type: "usage", usage: A },
      { type: "usage", usage: B },
    ],
    SUM,
  ],
  [
    "messages are added",
    [
      { type: "message", usage: A },
      { type: "message", usage: B },
    ],
    SUM,
  ],
  [
    "a message that has grown counts once, with its last usage",
    [
      { type: "message", messageId: "m1", usage: A },
      { type: "message", messageId: "m2", usage: A },
      { type: "message", messageId: "m1", usage: B },
      { type: "message", messageId: "m1" },
    ],
    SUM,
  ],
  [
    "a message without an id is always another one",
    [
      { type: "message", messageId: "m1", usage: A },
      { type: "message", usage: B },
    ],
    SUM,
  ],
  [
    "the last end of a turn counts",
    [
      { type: "turn_completed", usage: A },
      { type: "turn_completed", usage: B },
    ],
    B,
  ],
  [
    "a total is no sum",
    [
      { type: "usage", total: B },
      { type: "usage", total: A },
    ],
    A,
  ],
  ["a total counts before calls", [{ type: "usage", usage: A, total: B }], B],
  [
    "calls count before messages",
    [
      { type: "message", usage: A },
      { type: "usage", usage: B },
    ],
    B,
  ],
  [
    "messages count before the turn",
    [
      { type: "message", usage: A },
      { type: "turn_completed", usage: B },
    ],
    A,
  ],
  [
    "costs of calls are added",
    [
      { type: "usage", usage: A, costUsd: 1 },
      { type: "usage", usage: B, costUsd: 2 },
    ],
    { ...SUM, costUsd: 3 },
  ],
  [
    "the cost of a total is no sum",
    [
      { type: "usage", total: A, costUsd: 1 },
      { type: "usage", total: B, costUsd: 2 },
    ],
    { ...B, costUsd: 2 },
  ],
  ["a cost without tokens", [{ type: "usage", costUsd: 1 }], { inputTokens: 0, outputTokens: 0, costUsd: 1 }],
  ["a message without usage", [{ type: "message", usage: A }, { type: "message" }, { type: "usage" }], A],
  [
    "messages between calls",
    [
      { type: "usage", usage: A },
      { type: "message", usage: B },
      { type: "turn_completed", usage: B },
    ],
    A,
  ],
  [
    "an event of another type",
    [
      { type: "usage", usage: A },
      { type: "text", usage: B },
    ],
    A,
  ],
  ["a cost that is not a number", [{ type: "usage", usage: A, costUsd: "1" }], A],
  [
    "a cost that is not told again stays",
    [
      { type: "usage", costUsd: 1 },
      { type: "usage", usage: A },
    ],
    { ...A, costUsd: 1 },
  ],
  [
    "the cost in the usage of a message",
    [{ type: "message", usage: { ...A, costUsd: 2 } }],
    { ...A, costUsd: 2 },
  ],
])("%s", (_name, events, usage) => {
  expect(count(...events)).toEqual(usage);
});

test.each([
  [A, 7],
  [{ ...A, cacheReadTokens: 10, cacheWriteTokens: 100, reasoningTokens: 1000 }, 117],
  [{ ...A, cacheReadTokens: 10, totalTokens: 5 }, 5],
])("%j is %d tokens", (usage, tokens) => {
  expect(tokensOf(usage)).toBe(tokens);
});

test("a run remembers the usage of a bounded number of messages", () => {
  let sums: UsageSums = {};
  for (let at = 0; at < 200; at++) {
    sums = countUsage(sums, { type: "message", content: [], messageId: `m${at}`, usage: A });
  }
  expect(sums.newest).toHaveLength(64);
  expect(sums.messages).toEqual({ inputTokens: 600, outputTokens: 800 });
});

test("each count is added to its own", () => {
  const all = {
    inputTokens: 1,
    outputTokens: 2,
    cacheReadTokens: 3,
    cacheWriteTokens: 4,
    cacheWriteHourTokens: 8,
    reasoningTokens: 5,
    totalTokens: 6,
    costUsd: 7,
  };
  const twice = Object.fromEntries(Object.entries(all).map(([key, value]) => [key, 2 * value]));
  expect(addUsage(all, all)).toEqual(twice);
  expect(addUsage(undefined, A)).toBe(A);
  expect(addUsage(A, all)).toEqual({ ...all, inputTokens: 4, outputTokens: 6 });
  expect(addUsage(all, A)).toEqual({ ...all, inputTokens: 4, outputTokens: 6 });
});
