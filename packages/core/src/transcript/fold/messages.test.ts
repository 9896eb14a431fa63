/**
 * These tests cover the parts that join into one message, the changes of an update, and the facts of a message.
 */

import { describe, expect, test } from "vitest";
import type { Message } from "../../model/index.ts";
import { fromEvents } from "../builder/index.ts";
import type { EventLike } from "../events/index.ts";

type Data = Readonly<Record<string, unknown>>;

type GivenEvent = readonly [
  type: string,
  data: Data,
  place?: Pick<EventLike, "runId" | "actor" | "occurredAt">,
];

function folded(...events: readonly GivenEvent[]) {
  return fromEvents(events.map(([type, data, place], at) => ({ type, sequence: at + 1, data, ...place })));
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
      "its text replaces the parts, and calls that it does not repeat stay after it",
      [text("I look."), call("b")],
      ["thinking: Hm", "text: I look.", "call: b", "call: a"],
    ],
    [
      "its thinking replaces the parts",
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
    inputTokens: 1,
    outputTokens: 2,
    cacheReadTokens: 3,
    cacheWriteTokens: 4,
    reasoningTokens: 5,
    totalTokens: 6,
    costUsd: 0.5,
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

test("an application's metadata stays, except for the keys that only events set", () => {
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

test.each(["system", "user", "assistant"])("a message of the role %s is one", (role) => {
  const { messages } = folded(["message_sent", { role, content: "Yes." }, { occurredAt: "2026-01-01" }]);
  expect(messages).toStrictEqual([
    {
      id: "event-1",
      role,
      content: [text("Yes.")],
      timestamp: "2026-01-01",
      ...(role === "assistant" ? { origin: "agent" } : {}),
      metadata: { events: 1, sequence: 1, lastSequence: 1 },
    },
  ]);
});

test.each([["robot"], [undefined], [7]])("a message of the role %j is the user's", (role) => {
  const { messages } = folded(["message_sent", { role, content: "Yes." }]);
  expect(messages.map((message) => message.role)).toEqual(["user"]);
});

test.each<readonly [string, Data]>([
  ["message_sent", {}],
  ["message_received", { content: 7 }],
  ["message_sent", { role: "tool", content: "out" }],
  ["message_updated", { content: "Yes." }],
  ["message_updated", { messageId: "m", content: 7 }],
  ["message_updated", { messageId: "nobody", content: "Yes." }],
  ["message_completed", {}],
  ["message_completed", { messageId: "nobody" }],
])("%s of %j is counted as invalid, and changes no message", (type, data) => {
  const before: GivenEvent = ["message_sent", { messageId: "m", content: "Hi." }];
  const { messages, metadata } = folded(before, [type, data]);
  expect(messages).toEqual(folded(before).messages);
  expect(metadata.leftOut).toMatchObject({ invalid: 1 });
});

describe("a message of a tool", () => {
  const before: GivenEvent = [
    "tool_call_started",
    { toolCallId: "a", toolName: "read", toolInput: { path: "x" } },
  ];
  const result = (toolCallId: string): Data => ({ type: "tool_result", toolCallId, content: [] });

  test.each([
    [true, true],
    [undefined, false],
    ["true", false],
  ])("that names its call is its result; isError %j is %s", (isError, expected) => {
    const { messages } = folded(before, [
      "message_sent",
      { role: "tool", content: "out", toolCallId: "a", isError, messageId: "m" },
    ]);
    expect(messages[1]).toEqual({
      id: "event-2",
      role: "tool",
      toolCallId: "a",
      toolName: "read",
      toolInput: { path: "x" },
      content: [{ type: "tool_result", toolCallId: "a", content: [text("out")], isError: expected }],
      toolOutput: "out",
      metadata: { events: 1, sequence: 2, lastSequence: 2 },
    });
  });

  test.each<readonly [string, string | undefined, readonly Data[], readonly string[]]>([
    ["tool", "m", [result("a"), result("b")], ["tool m", "tool m:2"]],
    ["tool", undefined, [result("a")], ["tool event-3"]],
    ["tool", "m", [text("See."), result("a"), result("b")], ["tool m:1", "tool m:2", "user m"]],
    ["user", "m", [result("b"), text("See.")], ["tool m:1", "user m"]],
    ["assistant", "m", [text("See."), result("a")], ["assistant m", "tool m:1"]],
  ])(
    "that holds results, of the role %s and called %s, is a message for each of them",
    (role, messageId, content, expected) => {
      const other: GivenEvent = ["tool_call_started", { toolCallId: "b", toolName: "read" }];
      const { messages } = folded(before, other, ["message_sent", { role, messageId, content }]);
      const said = messages.slice(1);
      expect(said.map((message) => `${message.role} ${message.id}`)).toEqual(expected);
      const words = said.find((message) => message.role !== "tool");
      if (words !== undefined) expect(words.content).toEqual([text("See.")]);
    },
  );
});

describe("a call that events report twice", () => {
  const said = (args: Data, name = "read"): GivenEvent => [
    "message_sent",
    { role: "assistant", content: [text("Again."), { type: "tool_call", id: "a", name, args }] },
  ];
  const answer: GivenEvent = ["tool_call_completed", { toolCallId: "a", toolOutput: "out" }];
  const begin: GivenEvent = [
    "tool_call_started",
    { toolCallId: "a", toolName: "read", toolInput: { x: 1 }, messageId: "m" },
  ];
  const inRun = ([type, data]: GivenEvent, runId: string): GivenEvent => [type, data, { runId }];

  test.each<readonly [string, readonly GivenEvent[], boolean]>([
    ["while it has no result, even with other words", [begin, said({ x: 2 })], false],
    ["in the same words", [begin, answer, said({ x: 1 })], false],
    ["with other arguments", [begin, answer, said({ x: 2 })], true],
    ["with another name", [begin, answer, said({ x: 1 }, "write")], true],
    ["in another run", [inRun(begin, "r1"), inRun(answer, "r1"), inRun(said({ x: 1 }), "r2")], true],
    ["in the same run", [inRun(begin, "r1"), inRun(answer, "r1"), inRun(said({ x: 1 }), "r1")], false],
  ])("%s: another message holds it: %s", (_, events, isHeld) => {
    const { messages } = folded(...events);
    expect(wordsOf(messages.at(-1) ?? { content: [] })).toEqual([
      "text: Again.",
      ...(isHeld ? ["call: a"] : []),
    ]);
  });

  test("does not move before its newest one", () => {
    const { messages } = folded(["message_streamed", { messageId: "n", delta: "Wait" }], begin, answer, [
      "message_sent",
      { ...said({ x: 2 })[1], messageId: "n" },
    ]);
    expect(messages.map(wordsOf)).toEqual([["text: Again."], ["call: a"], ["tool_result"]]);
  });

  test("within its own message stays answered, and a call next to it can be", () => {
    const events: readonly GivenEvent[] = [
      begin,
      answer,
      ["message_sent", { messageId: "m", role: "assistant", content: [call("a"), call("b")] }],
    ];
    expect(folded(...events).metadata.openCalls).toEqual(["b"]);
    const { messages, metadata } = folded(...events, [
      "tool_call_completed",
      { toolCallId: "b", toolOutput: "late" },
    ]);
    expect(messages.map(({ toolOutput }) => toolOutput)).toEqual([undefined, "out", "late"]);
    expect([metadata.openCalls, metadata.resultsWithoutCall]).toEqual([[], 0]);
  });
});

test("a picture stays until its message is sent again with content", () => {
  const image = { type: "image", mimeType: "image/png", url: "https://example.test/a.png" };
  const sent = (...content: readonly Data[]): GivenEvent => ["message_sent", { messageId: "m", content }];
  expect(folded(sent(image), sent()).messages.map(({ content }) => content)).toEqual([[image]]);
  expect(folded(sent(image), sent(text("Hi."))).messages.map(({ content }) => content)).toEqual([
    [text("Hi.")],
  ]);
});

test("the same name in two roles means two messages", () => {
  const { messages } = folded(
    ["message_sent", { messageId: "m", content: "Why?" }],
    ["message_received", { messageId: "m", content: "So." }],
    ["message_completed", { messageId: "m" }],
  );
  expect(messages.map(({ id, role, metadata }) => [id, role, metadata])).toEqual([
    ["m", "user", { events: 1, sequence: 1, lastSequence: 1, messageId: "m" }],
    ["event-2", "assistant", { events: 2, sequence: 2, lastSequence: 3, messageId: "m" }],
  ]);
});

test("an update and an end name a message without a name by the id of its event", () => {
  const { messages } = folded(
    ["message_sent", { content: "One." }],
    ["message_sent", { content: "Two." }],
    ["message_updated", { messageId: "event-1", content: "Three." }],
    ["message_completed", { messageId: "event-2" }],
  );
  expect(messages.map(({ content, metadata }) => [content, metadata])).toEqual([
    [[text("Three.")], { events: 2, sequence: 1, lastSequence: 3, updated: true }],
    [[text("Two.")], { events: 2, sequence: 2, lastSequence: 4 }],
  ]);
});

test("an end completes a message that came in parts, and later parts count as late", () => {
  const part: GivenEvent = ["message_streamed", { messageId: "m", delta: "Yes" }];
  const { messages, metadata } = folded(part, ["message_completed", { messageId: "m" }], part);
  expect(messages.map(({ content, metadata: of }) => [content, of])).toEqual([
    [[text("Yes")], { events: 2, sequence: 1, lastSequence: 2, messageId: "m" }],
  ]);
  expect(metadata.leftOut.late).toBe(1);
});

test("only what agents say counts as usage, and is added up", () => {
  const usage = { inputTokens: 1, outputTokens: 2 };
  const { metadata } = folded(
    ["message_received", { content: "One.", usage }],
    ["message_sent", { role: "assistant", content: "Two.", usage }],
    ["message_received", { content: "Three.", usage }],
    ["message_received", { content: "Four." }],
  );
  expect(metadata.usage).toEqual({ inputTokens: 2, outputTokens: 4 });
});

test.each(["person", "agent", "injected", "summary", "notification", "error"])(
  "the origin %s is believed",
  (origin) => {
    expect(folded(["message_sent", { content: "Yes.", origin }]).messages[0]?.origin).toBe(origin);
  },
);

test.each([
  ["person", "user", "person"],
  ["person", "system", undefined],
  ["agent", "user", undefined],
  ["person", "assistant", "agent"],
] as const)("what an actor of the kind %s sends in the role %s is of %s", (kind, role, expected) => {
  const { messages } = folded(["message_sent", { role, content: "Yes." }, { actor: { kind } }]);
  expect(messages[0]?.origin).toBe(expected);
});

test.each([
  [{ colour: "red" }, { colour: "red" }],
  [{ sequence: 9, lastSequence: 9, messageId: "x", events: 9 }, {}],
  ["red", {}],
  [["red"], {}],
])("the application's metadata %j is %j", (metadata, expected) => {
  const { messages } = folded(["message_sent", { content: "Yes.", metadata }]);
  expect(messages[0]?.metadata).toEqual({ events: 1, sequence: 1, lastSequence: 1, ...expected });
});
