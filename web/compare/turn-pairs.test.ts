/** The pairs of turns of two histories, and the marks of their rows. */

import type { OutlineTurn, WindowMessage } from "@continuo/core/wire/machine";
import { expect, test } from "vitest";
import { toRows } from "../state/history.ts";
import { markRows, pairTurns, summaryOf } from "./turn-pairs.ts";

/** `why:because` is a turn with this question and this answer. */
const turns = (...texts: readonly string[]): readonly OutlineTurn[] =>
  texts.map((text, at) => ({
    number: at + 1,
    id: `${text}#${at}`,
    index: at * 2,
    title: text,
    at: null,
    endedAt: null,
    messages: 2,
    toolCalls: 0,
    errors: 0,
    models: [],
    tokens: 0,
    costUsd: null,
    print: { asked: text.split(":")[0] ?? "", all: text },
  }));

const shapeOf = (left: readonly OutlineTurn[], right: readonly OutlineTurn[]): readonly string[] =>
  pairTurns(left, right).map((row) =>
    row.type === "same"
      ? `same ${row.turns.map(([one, other]) => `${one.number}=${other.number}`).join(" ")}`
      : `${row.kind} ${row.left?.number ?? "-"}|${row.right?.number ?? "-"}`,
  );

test("branches have their common beginning as one run, and then their own turns side by side", () => {
  const left = turns("a:1", "b:1", "c:1", "d:1");
  const right = turns("a:1", "b:1", "x:1");
  expect(shapeOf(left, right)).toEqual(["same 1=1 2=2", "question 3|3", "left 4|-"]);
  expect(summaryOf(pairTurns(left, right))).toBe("Turns: 2 the same, 1 different, 1 only on the left");
});

test("answers of two agents to one prompt are side by side because of their question", () => {
  expect(shapeOf(turns("fix:one", "more:1"), turns("fix:two"))).toEqual(["answer 1|1", "left 2|-"]);
});

test("if a summary replaces the first turns, the later ones are still side by side", () => {
  const left = turns("a:1", "b:1", "c:1", "go on:1", "go on:2");
  const right = turns(":summary", "c:1", "go on:1", "go on:2");
  expect(shapeOf(left, right)).toEqual(["question 1|1", "left 2|-", "same 3=2 4=3 5=4"]);
});

test("equal histories are one run, and an empty one has only turns of the other side", () => {
  expect(shapeOf(turns("a:1", "a:1"), turns("a:1", "a:1"))).toEqual(["same 1=1 2=2"]);
  expect(summaryOf(pairTurns(turns("a:1", "a:1"), turns("a:1", "a:1")))).toBe("All 2 turns show the same.");
  expect(shapeOf([], turns("a:1"))).toEqual(["right -|1"]);
  expect(shapeOf([], [])).toEqual([]);
});

const rowsOf = (prefix: string, blocks: readonly object[]) =>
  toRows(
    [
      {
        message: { id: prefix, role: "assistant", content: blocks, metadata: {} },
        index: 0,
        turnId: prefix,
        turn: 1,
        costUsd: null,
        cuts: [],
      } as unknown as WindowMessage,
    ],
    { turns: [], seenFrom: null },
  );

test("different rows, and rows of only one side, are marked with words, and equal rows are not", () => {
  const text = (words: string) => ({ type: "text", text: words });
  const call = (command: string) => ({
    type: "tool_call",
    id: `call-${command}`,
    name: "Bash",
    args: { command },
  });
  const marks = markRows(
    rowsOf("l", [text("Looking."), call("npm test"), text("Done.")]),
    rowsOf("r", [text("Looking."), { type: "thinking", text: "Hm." }, call("npm run test"), text("Done!")]),
  );
  expect([...marks.left]).toEqual([
    ["l:1", "other arguments"],
    ["l:2", "differs"],
  ]);
  expect([...marks.right]).toEqual([
    ["r:1", "only here"],
    ["r:2", "other arguments"],
    ["r:3", "differs"],
  ]);
});
