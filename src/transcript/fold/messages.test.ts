/** What joins into one message, what an update changes, and what a message says of itself. */

import { describe, expect, test } from "vitest";
import type { Message } from "../../model/index.ts";
import { fromEvents } from "../builder/index.ts";

type Data = Readonly<Record<string, unknown>>;

function folded(...events: readonly (readonly [type: string, data: Data])[]) {
  return fromEvents(events.map(([type, data], at) => ({ type, sequence: at + 1, data })));
}

const call = (id: string): Data => ({ type: "tool_call", id, name: "read", args: {} });
const text = (words: string): Data => ({ type: "text", text: words });
const started = (id: string): readonly [string, Data] => [
  "tool_call_started",
  { toolCallId: id, toolName: "read", toolInput: {}, messageId: "m" },
];

function wordsOf({ content }: Pick<Message, "content">): readonly string[] {
  return content.map((block) => {
    if (block.type === "text" || block.type === "thinking") return `${block.type}: ${block.text}`;
    return block.type === "tool_call" ? `call: ${block.id}` : block.type;
  });
}

describe("a streamed message, and the whole of it", () => {
  const streamed: readonly (readonly [string, Data])[] = [
    ["message_streamed", { messageId: "m", kind: "thinking", delta: "Hm" }],
    ["message_streamed", { messageId: "m", delta: "I lo" }],
    started("a"),
    started("b"),
  ];
  const whole = (...content: readonly Data[]): readonly [string, Data] => [
    "message_sent",
    { messageId: "m", role: "assistant", content },
  ];

  test.each([
    [
      "its text wins, and calls that it does not repeat stay behind",
      [text("I look."), call("b")],
      ["thinking: Hm", "text: I look.", "call: b", "call: a"],
    ],
    [
      "its thinking wins",
      [{ type: "thinking", text: "Hm." }],
      ["text: I lo", "thinking: Hm.", "call: a", "call: b"],
    ],
    ["an empty text does not win", [text("")], ["thinking: Hm", "text: I lo", "call: a", "call: b"]],
    [
      "new calls come before those that were streamed",
      [call("c")],
      ["thinking: Hm", "text: I lo", "call: c", "call: a", "call: b"],
    ],
  ])("%s", (_, content, expected) => {
    const { messages } = folded(...streamed, whole(...content));
    expect(messages.map(wordsOf)).toEqual([expected]);
    expect(messages[0]?.metadata.partial).toBeUndefined();
  });
});

test("an update changes the text, and neither brings calls and results nor takes them", () => {
  const result = { type: "tool_result", toolCallId: "a", content: [], isError: false };
  const { messages } = folded(
    ["message_sent", { messageId: "m", role: "assistant", content: [text("One."), call("a")] }],
    ["message_updated", { messageId: "m", content: [text("Two."), call("b"), result, text("Three.")] }],
    ["message_updated", { messageId: "nobody", content: [text("Four.")] }],
  );
  expect(messages.map(wordsOf)).toEqual([["text: Two.", "text: Three.", "call: a"]]);
  expect(messages[0]?.metadata).toMatchObject({ updated: true, lastSequence: 2 });
});

test("the newest mode and the newest model are reported independently", () => {
  const { metadata } = folded(
    ["mode_changed", { mode: "plan", model: "one" }],
    ["mode_changed", { model: "two" }],
  );
  expect(metadata).toMatchObject({ mode: "plan", model: "two" });
});

test.each([
  [
    {
      inputTokens: 1,
      outputTokens: 2,
      cacheReadTokens: 3,
      cacheWriteTokens: 4,
      reasoningTokens: 5,
      totalTokens: 6,
      costUsd: 0.5,
    },
  ],
  [
    {
      input_tokens: 1,
      output_tokens: 2,
      cache_read_tokens: 3,
      cache_write_tokens: 4,
      reasoning_tokens: 5,
      total_tokens: 6,
      cost_usd: 0.5,
    },
  ],
])("usage is taken by both names of its parts: %j", (usage) => {
  const { messages } = folded([
    "message_sent",
    { role: "assistant", content: "Yes.", usage, model: "x", stopReason: "end" },
  ]);
  expect(messages[0]).toMatchObject({ model: "x", stopReason: "end" });
  expect(messages[0]?.usage).toEqual({
    ...{ inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 },
    ...{ reasoningTokens: 5, totalTokens: 6, costUsd: 0.5 },
  });
});

test("an application's metadata does not change which agent the event names", () => {
  const actor = { kind: "agent", agent: "codex" } as const;
  const named = { messageId: "m", role: "assistant", content: "Yes.", metadata: { agent: "claude" } };
  const { messages } = fromEvents([
    { type: "message_streamed", sequence: 1, actor, data: { messageId: "m", delta: "Ye" } },
    { type: "message_sent", sequence: 2, actor, data: named },
    { type: "message_updated", sequence: 3, actor, data: named },
    { type: "message_sent", sequence: 4, data: { ...named, messageId: "n" } },
  ]);
  expect(messages.map(({ metadata }) => metadata.agent)).toEqual(["codex", "claude"]);
});

test("an application's metadata stays, but for what only events decide", () => {
  const metadata = { colour: "red", partial: true, events: 9, runId: "r", note: "run_failed", closedBy: "x" };
  const { messages } = folded(["message_sent", { role: "user", content: "Yes.", metadata }]);
  expect(messages[0]?.metadata).toMatchObject({ colour: "red" });
  for (const key of ["partial", "note", "closedBy", "runId"])
    expect(messages[0]?.metadata).not.toHaveProperty(key);
  expect(messages[0]?.metadata.events).not.toBe(9);
});

test.each([
  ["person", "user", "person"],
  ["summary", "assistant", "summary"],
  ["constructor", "assistant", "agent"],
  ["nobody", "user", undefined],
])("of the origin %s, a message of the %s is of %s", (origin, role, expected) => {
  const { messages } = folded(["message_sent", { role, content: "Yes.", origin }]);
  expect(messages[0]?.origin).toBe(expected);
});
