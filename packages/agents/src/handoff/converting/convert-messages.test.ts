/** A hand-over keeps whole messages: their order, their facts and the origin of each. */

import type { AgentName, Block, Message } from "@continuo/core/model";
import { expect, test } from "vitest";
import { convertMessages } from "./convert.ts";

const PNG: Block = { type: "image", mimeType: "image/png", data: "iVBORw0KGgoAAAANSUhEUg==" };
const USAGE = { inputTokens: 3, outputTokens: 4 };

function text(words: string): Block {
  return { type: "text", text: words };
}

function call(id: string): Block {
  return { type: "tool_call", id, name: "look", args: { at: id } };
}

function result(id: string, more: Partial<Extract<Block, { type: "tool_result" }>> = {}): Block {
  return { type: "tool_result", toolCallId: id, content: [text(`of ${id}`)], isError: false, ...more };
}

function message(role: Message["role"], content: readonly Block[], more: Partial<Message> = {}): Message {
  const line = ++count;
  return { id: `m${line}`, role, content, metadata: { records: [{ line }] }, ...more };
}
let count = 0;

const FACTS = { timestamp: "2026-01-01T00:00:00.000Z" };

function convert(source: readonly Message[], options: Parameters<typeof convertMessages>[2] = {}) {
  return convertMessages(source, "claude", options);
}

test("an answer keeps its time, usage and reason to stop", () => {
  const prompt = message("user", [text("go")], FACTS);
  const answer = message("assistant", [text("done")], { ...FACTS, usage: USAGE, stopReason: "end_turn" });
  expect(convert([prompt, answer])).toEqual({
    messages: [
      { role: "user", content: [text("go")], ...FACTS },
      { role: "assistant", content: [text("done")], ...FACTS, usage: USAGE, stopReason: "end_turn" },
    ],
    records: [
      { place: expect.any(String), kind: "text", outcome: "kept", reason: "" },
      { place: expect.any(String), kind: "text", outcome: "kept", reason: "" },
    ],
    sources: [prompt, answer],
    thoughts: [],
  });
});

test("facts that a message does not have become no fields", () => {
  const { messages } = convert([message("user", [text("go")]), message("assistant", [text("done")])]);
  expect(messages.map((one) => Object.keys(one))).toEqual([
    ["role", "content"],
    ["role", "content"],
  ]);
});

test.each<[AgentName, boolean]>([
  ["claude", true],
  ["codex", true],
  ["gemini", true],
  ["pi", false],
  ["opencode", false],
])(
  "the model of an answer to %s is kept if it is one of the agent's own, and is %s otherwise",
  (to, otherwise) => {
    const answer = message("assistant", [text("done")], { model: "m-1" });
    const source = [message("user", [text("go")]), answer];
    const modelOf = (own: ReadonlySet<Message>) => convertMessages(source, to, { own }).messages[1]?.model;
    expect(modelOf(new Set([answer]))).toBe("m-1");
    expect(modelOf(new Set())).toBe(otherwise ? "m-1" : undefined);
  },
);

test("messages of the target's own keep its metadata, and details of results", () => {
  const source = [
    message("user", [text("go")]),
    message("assistant", [call("a")]),
    message("tool", [result("a", { details: { lines: 3 } })]),
  ];
  const own = convert(source, { own: new Set(source) }).messages;
  expect(own.map(({ metadata }) => metadata)).toEqual([source[0]?.metadata, source[1]?.metadata, undefined]);
  expect(own[2]?.content).toEqual([result("a", { details: { lines: 3 } })]);
  const others = convert(source).messages;
  expect(others.map(({ metadata }) => metadata)).toEqual([undefined, undefined, undefined]);
  expect(others[2]?.content).toEqual([result("a")]);
});

test("a result follows its call, with the name and the input of the call, and its own time", () => {
  const source = [
    message("user", [text("go")]),
    message("assistant", [call("a"), call("b")]),
    message("tool", [result("b", { isError: true, status: "denied" })], FACTS),
    message("tool", [result("a")]),
  ];
  const { messages, sources } = convert(source);
  expect(messages.slice(2)).toEqual([
    {
      role: "tool",
      content: [result("b", { isError: true, status: "denied" })],
      toolName: "look",
      toolInput: { at: "b" },
      ...FACTS,
    },
    { role: "tool", content: [result("a")], toolName: "look", toolInput: { at: "a" } },
  ]);
  expect(sources.slice(2)).toEqual([source[2], source[3]]);
});

test("a call without a result gets one that says so, as an error, at the time of its message", () => {
  const source = [message("user", [text("go")]), message("assistant", [call("a")], FACTS)];
  const { messages, sources, records } = convert(source);
  const none = text("[No result of this call was recorded.]");
  expect(messages[2]).toEqual({
    role: "tool",
    content: [result("a", { content: [none], isError: true })],
    toolName: "look",
    toolInput: { at: "a" },
    ...FACTS,
  });
  expect(sources[2]).toBe(source[1]);
  expect(records.at(-1)).toEqual({
    place: "new session",
    kind: "tool_result",
    outcome: "rewritten",
    reason: "no result of the call a is recorded: a result that says so is added",
  });
});

test("a result without a call is left out, and the receipt says why", () => {
  const source = [message("user", [text("go")]), message("tool", [result("x")])];
  const { messages, records } = convert(source);
  expect(messages).toHaveLength(1);
  expect(records.slice(1)).toEqual([
    {
      place: expect.any(String),
      kind: "tool_result",
      outcome: "dropped",
      reason: "no call of this id waits for it",
    },
  ]);
});

test("an answer that has only results is left out", () => {
  const { messages, records } = convert([message("user", [text("go")]), message("assistant", [result("x")])]);
  expect(messages).toHaveLength(1);
  expect(records.at(-1)).toMatchObject({ kind: "tool_result", outcome: "dropped" });
});

test("a conversation that begins with the agent gets a first message of the user with the same time", () => {
  const answer = message("assistant", [text("hi")], FACTS);
  const begun = { role: "user", content: [text("[The conversation begins with the answer of the agent.]")] };
  const { messages, sources, records } = convert([answer]);
  expect(messages[0]).toEqual({ ...begun, ...FACTS });
  expect(records.at(-1)).toEqual({
    place: "new session",
    kind: "text",
    outcome: "rewritten",
    reason: "the conversation begins with an answer: a prompt that says so is added",
  });
  expect(sources).toEqual([null, answer]);
  expect(convert([message("assistant", [text("hi")])]).messages[0]).toEqual(begun);
  expect(convert([]).messages).toEqual([]);
});

test("messages that are appended to a session need no first message of the user, and use new ids", () => {
  const before = [message("user", [text("go")]), message("assistant", [call("a")])];
  const source = [message("assistant", [call("a")]), message("tool", [result("a")])];
  const { messages } = convert(source, { before });
  expect(messages.map(({ role }) => role)).toEqual(["assistant", "tool"]);
  const ids = messages.flatMap(({ content }) =>
    content.map((block) =>
      block.type === "tool_call" ? block.id : (block as { toolCallId: string }).toolCallId,
    ),
  );
  expect(new Set(ids).size).toBe(1);
  expect(ids).not.toContain("a");
});

test("each message that is made may be replaced before it is returned", () => {
  const source = [message("user", [text("go")]), message("assistant", [text("done")])];
  const { messages } = convert(source, { keep: (one) => ({ ...one, content: [] }) });
  expect(messages.map(({ content }) => content)).toEqual([[], []]);
});

test("the receipt names places with the function that it was given", () => {
  const { records } = convert([message("user", [text("go")])], { placeOf: ({ id }) => `at ${id}` });
  expect(records[0]?.place).toBe(`at m${count}`);
});

test("thoughts that the target receives are listed, including its own", () => {
  const prompt = message("user", [text("go")]);
  const thought: Block = { type: "thinking", text: "hm", signature: "sig", signedBy: "anthropic" };
  const own = message("assistant", [thought, text("done")]);
  const other = message("assistant", [{ type: "thinking", text: "well" }, text("done")]);
  const { thoughts, records } = convert([prompt, own, prompt, other], { own: new Set([own]) });
  expect(thoughts.map(({ words, record }) => [words, records.includes(record)])).toEqual([
    ["hm", true],
    ["well", true],
  ]);
  expect(thoughts.map(({ record }) => record.kind)).toEqual(["thinking", "thinking"]);
});

test("a picture in a failed result comes in a message of the user after the results", () => {
  const source = [
    message("user", [text("go")]),
    message("assistant", [call("a"), call("b")], FACTS),
    message("tool", [result("a", { isError: true, content: [text("seen"), PNG] })]),
    message("tool", [result("b")]),
  ];
  const { messages, sources } = convert(source);
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "user"]);
  expect([messages[4], sources[4]]).toEqual([{ role: "user", content: [PNG], ...FACTS }, source[1]]);
});
