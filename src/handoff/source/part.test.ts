import { describe, expect, test } from "vitest";
import type { Block, Message } from "../../model/index.ts";
import { withinLimits } from "./part.ts";

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

describe("what a limit leaves out is on the receipt, block by block:", () => {
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
        reason: "over the limit; newer messages come first",
      },
    ]);
  });

  test("halves of pairs, also where every message fits", () => {
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

  test("the middle of the newest texts, and what is only marked", () => {
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

  test("nothing where all fits", () => {
    const said = [message(1, "user", [text("a")]), message(2, "assistant", [call("c")])];
    const whole = [...said, message(3, "tool", [result("c")])];
    expect(withinLimits(whole, { maxMessages: 3 })).toEqual({ messages: whole, left: [] });
    expect(withinLimits(said, { strategy: "full" })).toEqual({ messages: said, left: [] });
  });
});
