import type { AgentRequest, Message } from "@continuo/core/model";
import { expect, test } from "vitest";
import { CallKeys } from "./call-keys.ts";

function calls(runId: string, ...ids: readonly string[]): Message {
  const content = ids.map((id) => ({ type: "tool_call", id, name: "pay", args: { euros: 5 } }) as const);
  return { id: runId, role: "assistant", content, metadata: { runId } };
}

function result(runId: string, toolCallId: string, status: "ok" | "denied" | "interrupted"): Message {
  const content = [
    { type: "tool_result", toolCallId, content: [], isError: status !== "ok", status } as const,
  ];
  return { id: toolCallId, role: "tool", toolCallId, content, metadata: { runId } };
}

function said(runId: string): Message {
  return { id: runId, role: "user", content: [], metadata: { runId } };
}

function keysOf(runId: string, messages: readonly Message[]): CallKeys {
  const metadata = runId === "r1" ? {} : { saidBy: "r1", retryOf: "r1" };
  return new CallKeys({
    run: { runId, metadata },
    input: [],
    transcript: { messages },
  } as unknown as AgentRequest);
}

/** The keys of equal calls of one attempt, in their order. */
function take(keys: CallKeys, count: number): readonly string[] {
  return Array.from({ length: count }, () => keys.take("pay", { euros: 5 }));
}

const [first, second] = take(keysOf("r1", []), 2);

test("equal calls of a turn have different keys, and so have calls for other messages or with other inputs", () => {
  const others = [
    keysOf("r1", []).take("pay", { euros: 6 }),
    keysOf("r1", []).take("look", { euros: 5 }),
    ...take(keysOf("r9", []), 1).filter((key) => key === first),
  ];
  expect(new Set([first, second, ...others]).size).toBe(4);
});

test.each<[string, readonly Message[], readonly (string | undefined)[]]>([
  ["a call that was cut off", [calls("r1", "a"), result("r1", "a", "interrupted")], [first, second]],
  ["a call without a result", [calls("r1", "a")], [first, second]],
  [
    "a call that was cut off twice",
    [calls("r1", "a"), result("r1", "a", "interrupted"), calls("r2", "b"), result("r2", "b", "interrupted")],
    [first, second],
  ],
  ["a call that has its result", [calls("r1", "a"), result("r1", "a", "ok")], [second]],
  ["a call that was denied", [calls("r1", "a"), result("r1", "a", "denied")], [second]],
  [
    "the first of two calls, which was cut off",
    [calls("r1", "a", "b"), result("r1", "a", "interrupted"), result("r1", "b", "ok")],
    [first],
  ],
  [
    "a call for a message that came since",
    [
      calls("r1", "a"),
      result("r1", "a", "interrupted"),
      said("r5"),
      calls("r5", "z"),
      result("r5", "z", "ok"),
    ],
    [first, second],
  ],
])("after %s, the next attempt has the keys of what has no result", (_, messages, expected) => {
  expect(take(keysOf("r3", messages), expected.length)).toEqual(expected);
});
