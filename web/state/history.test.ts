import type { Block, Message } from "@continuo/core/model";
import type { OutlineTurn, WindowMessage } from "@continuo/core/wire/machine";
import { describe, expect, test } from "vitest";
import {
  EMPTY_PART,
  foldGrowth,
  foldWindow,
  isOfMessage,
  messagesOf,
  toRows,
  turnOfRow,
  wordsInRow,
} from "./history.ts";

function said(
  id: string,
  content: readonly Block[] = [],
  more: Partial<Message> = {},
  turn = 1,
): WindowMessage {
  const message: Message = { id, role: "assistant", content, metadata: {}, ...more };
  return { message, index: null, turnId: `q${turn}`, turn, costUsd: null, cuts: [] };
}

const text = (words: string): Block => ({ type: "text", text: words });
const asked = (turn: number): WindowMessage => said(`q${turn}`, [text("why?")], { role: "user" }, turn);
const ids = ({ messages }: { readonly messages: readonly WindowMessage[] }): string[] =>
  messages.map(({ message }) => message.id);

describe("the loaded part", () => {
  const middle = { messages: [said("c"), said("d")], hasOlder: true, hasNewer: true };

  test("grows at both ends, and no message is in it twice", () => {
    const older = { messages: [said("b"), said("c")], hasOlder: false, hasNewer: true };
    const newer = { messages: [said("d"), said("e")], hasOlder: true, hasNewer: false };
    const both = foldWindow(foldWindow(middle, older, "older"), newer, "newer");
    expect({ ...both, messages: ids(both) }).toEqual({
      messages: ["b", "c", "d", "e"],
      hasOlder: false,
      hasNewer: false,
    });
    expect(foldWindow(middle, EMPTY_PART, "instead")).toEqual(EMPTY_PART);
  });

  test("accepts new messages only if its end is loaded, and replaces changed ones", () => {
    const grown = [said("d", [text("more")]), said("e")];
    expect(ids(foldGrowth(middle, grown))).toEqual(["c", "d"]);
    const atEnd = foldGrowth({ ...middle, hasNewer: false }, grown);
    expect(ids(atEnd)).toEqual(["c", "d", "e"]);
    expect(atEnd.messages[1]?.message.content).toEqual([text("more")]);
  });
});

describe("rows", () => {
  const call: Block = { type: "tool_call", id: "t", name: "Bash", args: {} };
  const result: Block = { type: "tool_result", toolCallId: "t", content: [], isError: false };
  const none = { turns: [], seenFrom: null };

  test("a result is in the row of its call, and has its own row only if the call is not loaded", () => {
    const answered = [asked(1), said("a", [text("x"), call]), said("r", [result], { role: "tool" })];
    expect(toRows(answered, none).map(({ key }) => key)).toEqual(["q1", "a:0", "a:1"]);
    expect(toRows(answered, none)[2]).toMatchObject({ type: "call", result });
    expect(toRows(answered.slice(2), none)).toMatchObject([{ type: "result", key: "r:0" }]);
    const [asking, rest] = [answered.slice(0, 2), answered.slice(2)];
    expect(toRows(asking, none)[2]).toMatchObject({ type: "call", result: null, endsLater: false });
    expect(toRows(asking, { ...none, later: rest })[2]).toMatchObject({ result: null, endsLater: true });
  });

  test("an empty message is no row, and summaries, errors and injected messages are rows of their own", () => {
    const messages = [
      said("a", [text(" \n"), { type: "thinking", text: "" }, { type: "unknown", raw: 1 }]),
      said("s", [text("x")], { origin: "summary" }),
      said("e", [text("x")], { origin: "error" }),
      said("i", [text("x")], { role: "system" }),
    ];
    expect(toRows(messages, none).map(({ type }) => type)).toEqual([
      ...["thinking", "unknown", "whole", "whole", "whole"],
    ]);
  });

  test("messages that a program injected one after the other are one row, up to the next turn", () => {
    const injected = (id: string, turnId: string) => ({
      ...said(id, [text(id)], { role: "system" }),
      turnId,
    });
    const rows = toRows([injected("i", "i"), injected("j", "i"), injected("k", "k")], none);
    expect(rows.map(({ key }) => key)).toEqual(["i", "k"]);
    expect(rows.map((row) => messagesOf(row).map(({ message }) => message.id))).toEqual([["i", "j"], ["k"]]);
    expect(rows[0] && isOfMessage(rows[0], "j")).toBe(true);
    expect(rows[0] && wordsInRow(rows[0], ["i", "j", "k"])).toBe(2);
  });

  test("a turn ends with its cost, and a line marks where the model's view begins", () => {
    const turn = (number: number): OutlineTurn => ({
      number,
      id: `q${number}`,
      index: 0,
      title: null,
      at: null,
      endedAt: null,
      messages: 1,
      toolCalls: 0,
      errors: 0,
      models: [],
      tokens: 5,
      costUsd: null,
    });
    const rows = toRows([asked(1), asked(2)], { turns: [turn(1), turn(2)], seenFrom: "q2" });
    expect(rows.map(({ key }) => key)).toEqual(["q1", "foot:q1", "seen", "q2", "foot:q2"]);
    expect(rows.map(turnOfRow)).toEqual([1, 1, null, 2, 2]);
  });
});
