import type { Block, Message } from "@continuo/core/model";
import { describe, expect, test } from "vitest";
import { firstDifference } from "./compare-fork.ts";

const CALL: Block = { type: "tool_call", id: "c", name: "look", args: { at: "it" }, childSessionId: "child" };
const RESULT: Block = {
  type: "tool_result",
  toolCallId: "c",
  content: [{ type: "text", text: "seen", native: 1 }],
  isError: false,
};

const SOURCE: readonly Message[] = [
  { id: "1", role: "user", content: [{ type: "text", text: "Look." }], metadata: { records: [{ line: 1 }] } },
  {
    id: "2",
    role: "assistant",
    origin: "agent",
    timestamp: "2026-11-22T10:00:00.000Z",
    model: "m",
    usage: { inputTokens: 1, outputTokens: 2 },
    stopReason: "tool_use",
    content: [CALL],
    metadata: {},
  },
  { id: "3", role: "tool", toolName: "look", content: [RESULT], metadata: {} },
  { id: "4", role: "assistant", content: [{ type: "unknown", raw: { one: 1 } }], metadata: {} },
];

/** The source with other fields in one message. */
function changed(at: number, change: Partial<Message>): Message[] {
  return SOURCE.map((message, each) => (each === at ? { ...message, ...change } : message));
}

test.each<[string, readonly Message[]]>([
  ["the same messages", SOURCE],
  ["other ids", SOURCE.map((message) => ({ ...message, id: `f${message.id}`, parentId: "f" }))],
  [
    "other places of records",
    SOURCE.map((message) => ({ ...message, metadata: { records: [{ line: 9 }] } })),
  ],
  ["another sub-agent of a call", changed(1, { content: [{ ...CALL, childSessionId: "other" } as Block] })],
  ["other native blocks", changed(0, { content: [{ type: "text", text: "Look.", native: { other: 1 } }] })],
  [
    "other native blocks in a result",
    changed(2, { content: [{ ...RESULT, content: [{ type: "text", text: "seen" }] }] }),
  ],
  ["another record in an unknown block", changed(3, { content: [{ type: "unknown", raw: null }] })],
])("a fork with %s has the same content as its source", async (_name, fork) => {
  expect(await firstDifference(SOURCE, fork)).toBe(null);
});

test.each<[keyof Message, number, Partial<Message>]>([
  ["role", 0, { role: "system" }],
  ["origin", 1, { origin: "error" }],
  ["timestamp", 1, { timestamp: "2026-11-22T10:00:00.001Z" }],
  ["model", 1, { model: "n" }],
  ["usage", 1, { usage: { inputTokens: 1, outputTokens: 3 } }],
  ["stopReason", 1, { stopReason: "stop" }],
  ["toolName", 2, { toolName: "list" }],
  ["content", 0, { content: [{ type: "text", text: "Look!" }] }],
  ["content", 1, { content: [{ ...CALL, id: "d" } as Block] }],
  ["content", 2, { content: [{ ...RESULT, isError: true }] }],
  ["content", 2, { content: [{ ...RESULT, content: [{ type: "text", text: "gone" }] }] }],
  ["content", 3, { content: [] }],
  ["content", 3, { content: [{ type: "text", text: "" }] }],
])("the difference names message %i if its %s differs", async (field, at, change) => {
  const difference = `message ${at + 1} (${SOURCE[at]?.role}) differs in its ${field}`;
  expect(await firstDifference(SOURCE, changed(at, change))).toBe(difference);
});

test("the difference names the first message that differs, and its first field that differs", async () => {
  const fork = changed(1, { content: [], model: "n" }).slice(0, 2);
  expect(await firstDifference(SOURCE, fork)).toBe("message 2 (assistant) differs in its model");
});

describe.each<[string, readonly Message[], readonly Message[], string]>([
  ["lacks the last message", SOURCE, SOURCE.slice(0, 3), "it holds 3 messages of 4"],
  ["lacks all but one", SOURCE, SOURCE.slice(0, 1), "it holds 1 messages of 4"],
  ["is empty", SOURCE, [], "it holds 0 messages of 4"],
  ["has one message more", SOURCE.slice(0, 3), SOURCE, "it holds 4 messages of 3"],
  ["has three messages more", SOURCE.slice(0, 1), SOURCE, "it holds 4 messages of 1"],
])("a fork that %s", (_name, source, fork, difference) => {
  test("is counted", async () => {
    expect(await firstDifference(source, fork)).toBe(difference);
  });

  test("is counted when both sides are read as streams", async () => {
    async function* stream(messages: readonly Message[]): AsyncGenerator<Message> {
      yield* messages;
    }
    expect(await firstDifference(stream(source), stream(fork))).toBe(difference);
  });
});
