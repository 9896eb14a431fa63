import type { Block, Message } from "@continuo/core/model";
import { describe, expect, test } from "vitest";
import { fromMessage, withinLimits } from "./message-selection.ts";

function message(line: number, role: Message["role"], content: readonly Block[]): Message {
  const [first] = content;
  const call = first?.type === "tool_result" ? { toolCallId: first.toolCallId } : {};
  return { id: `m${line}`, role, content, ...call, metadata: { records: [{ line }] } } as Message;
}

const text = (words: string): Block => ({ type: "text", text: words });
const call = (id: string, more: Partial<Block> = {}): Block =>
  ({ type: "tool_call", id, name: "look", args: {}, ...more }) as Block;
const result = (id: string): Block => ({
  type: "tool_result",
  toolCallId: id,
  content: [text("seen")],
  isError: false,
});

describe("each block that a limit leaves out is on the receipt:", () => {
  test("older messages", () => {
    const said = [message(1, "user", [text("old"), call("c")]), message(2, "user", [text("new")])];
    const { messages, left } = withinLimits([...said], { maxMessages: 1 });
    expect(messages).toEqual([said[1]]);
    expect(left).toEqual([
      expect.objectContaining({ place: "line 1", kind: "tool_call", outcome: "noted" }),
      {
        place: "line 1",
        kind: "text",
        outcome: "noted",
        reason: "over the limit; newer messages have priority",
      },
    ]);
  });

  test("halves of pairs, even if every message fits", () => {
    const said = [
      message(1, "tool", [result("gone")]),
      message(2, "assistant", [{ type: "thinking", text: "hm" }, call("open")]),
      message(3, "assistant", [text("well"), call("vendor", { ranBy: "model" }), call("closed")]),
      message(4, "tool", [result("closed")]),
    ];
    const { messages, left } = withinLimits(said, { maxMessages: 10 });
    expect(messages).toEqual(said.slice(2));
    expect(left.map(({ place, kind, reason }) => `${place} ${kind}: ${reason}`)).toEqual([
      "line 1 tool_result: a result without a call, which a limited context leaves out",
      "line 2 thinking: without its pair",
      "line 2 tool_call: a call without a result, which a limited context leaves out",
    ]);
  });

  test("the one of two calls, and of two results, that has no pair", () => {
    const said = [
      message(1, "assistant", [call("a"), call("b")]),
      message(2, "tool", [result("a")]),
      message(3, "tool", [result("c")]),
    ];
    const { messages, left } = withinLimits(said, { maxMessages: 10 });
    expect(messages.map(({ content }) => content)).toEqual([[call("a")], [result("a")]]);
    expect(left.map(({ place, kind }) => `${place} ${kind}`)).toEqual([
      "line 1 tool_call",
      "line 3 tool_result",
    ]);
  });

  test("the middle of the newest texts, and texts that are only marked", () => {
    const image: Block = { type: "image", mimeType: "image/png", data: "A".repeat(4_000) };
    const said = [message(1, "user", [text("short"), text("long ".repeat(1_000)), image])];
    const { messages, left } = withinLimits(said, { maxTokens: 3 });
    expect(messages).toHaveLength(1);
    expect(left.map(({ kind, outcome, reason }) => `${kind} ${outcome}: ${reason}`)).toEqual([
      "text noted: cut to the limit",
      "text noted: cut to the limit",
      "image noted: cut to the limit",
    ]);
  });

  test("nothing if all messages fit", () => {
    const said = [message(1, "user", [text("a")]), message(2, "assistant", [call("c")])];
    const whole = [...said, message(3, "tool", [result("c")])];
    expect(withinLimits(whole, { maxMessages: 3 })).toEqual({ messages: whole, left: [] });
    expect(withinLimits(said, { strategy: "full" })).toEqual({ messages: said, left: [] });
  });
});

describe("a hand-over that begins with a message", () => {
  const said = [
    message(1, "user", [text("one"), call("c")]),
    message(2, "assistant", [text("two")]),
    message(3, "user", [text("three")]),
  ];

  test("leaves out those before it, block by block", () => {
    const line = { outcome: "noted", reason: "before the first message to hand over" };
    expect(fromMessage(said, "m2")).toEqual({
      messages: said.slice(1),
      left: [
        { place: "line 1", kind: "text", ...line },
        { place: "line 1", kind: "tool_call", ...line },
      ],
    });
  });

  test("leaves out nothing if it is the first one, or none was named", () => {
    expect(fromMessage(said, "m1")).toEqual({ messages: said, left: [] });
    expect(fromMessage(said, undefined)).toEqual({ messages: said, left: [] });
  });

  test("fails if there is no such message", () => {
    expect(() => fromMessage(said, "m4")).toThrow(
      expect.objectContaining({
        code: "not_found",
        message: 'cannot begin with "m4": no message has this id',
        hint: "Run `continuo session show ID --json` to see the ids; messages that the agent no longer sends to its model cannot be handed over.",
      }),
    );
  });
});

describe("the limits of a hand-over", () => {
  /** Two of these messages exceed 100,000 tokens, the default limit. */
  const long = (line: number): Message => message(line, "user", [text("word ".repeat(50_000))]);

  test.each([{ maxMessages: 1 }, { maxTokens: 1 }, { maxMessages: 0, maxTokens: 0 }])(
    "contradict the strategy `full`: %j",
    (limits) => {
      expect(() => withinLimits([long(1)], { strategy: "full", ...limits })).toThrow(
        expect.objectContaining({
          code: "usage",
          message: "the strategy `full` excludes limits",
          hint: "Leave out the strategy, or the limit.",
        }),
      );
    },
  );

  test("are the given ones, or the default of `recent`", () => {
    const said = [long(1), long(2)];
    const chosen = (options: Parameters<typeof withinLimits>[1]): readonly string[] =>
      withinLimits(said, options).messages.map(({ id }) => id);
    expect(chosen({})).toEqual(["m1", "m2"]);
    expect(chosen({ strategy: "full" })).toEqual(["m1", "m2"]);
    expect(chosen({ strategy: "recent" })).toEqual(["m2"]);
    expect(chosen({ strategy: "recent", maxMessages: 2 })).toEqual(["m1", "m2"]);
    expect(chosen({ maxTokens: 1_000_000 })).toEqual(["m1", "m2"]);
    expect(chosen({ maxTokens: 100_000, maxMessages: 2 })).toEqual(["m2"]);
  });
});

test("if a result is cut to the limit, the receipt has only its missing parts", () => {
  const image: Block = { type: "image", mimeType: "image/png", data: "AAAA" };
  const seen = { ...result("c"), content: [text("seen ".repeat(2_000)), image] } as Block;
  const said = [message(1, "assistant", [call("c")]), message(2, "tool", [seen])];
  const { messages, left } = withinLimits(said, { maxTokens: 1_500 });
  expect(messages.map(({ id }) => id)).toEqual(["m1", "m2"]);
  const [, kept] = messages;
  const there =
    kept?.content[0]?.type === "tool_result" ? kept.content[0].content.map(({ type }) => type) : [];
  expect(left.map(({ place, kind, reason }) => `${place} ${kind}: ${reason}`)).toEqual([
    "line 2 tool_result: cut to the limit",
    ...(there.includes("image") ? [] : ["line 2 image: cut to the limit"]),
  ]);
});
