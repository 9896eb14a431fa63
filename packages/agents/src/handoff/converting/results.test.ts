import type { Block, Message, ToolResultBlock } from "@continuo/core/model";
import { expect, test } from "vitest";
import { outlineOf, rank, resultsOf, sourcesOf } from "./results.ts";

const text: Block = { type: "text", text: "a" };
const call = (id: string): Block => ({ type: "tool_call", id, name: "look", args: {} });
const result = (id: string): ToolResultBlock => ({
  type: "tool_result",
  toolCallId: id,
  isError: false,
  content: [],
});

let count = 0;
function said(role: Message["role"], ...content: readonly Block[]): Message {
  count += 1;
  return { id: `m${count}`, role, content, metadata: {} };
}

const answered = (id: string): Message => said("tool", result(id));
const NOTHING = { calls: [], answered: [], answers: null };

test.each<readonly [string, Message, unknown]>([
  ["a prompt", said("user", call("c"), result("c")), NOTHING],
  ["a system message", said("system", call("c")), NOTHING],
  ["an answer without calls", said("assistant", text), NOTHING],
  ["an answer with calls", said("assistant", text, call("c"), call("d")), { ...NOTHING, calls: ["c", "d"] }],
  ["an answer with a result", said("assistant", result("c")), { ...NOTHING, answered: ["c"] }],
  [
    "an answer with a call and its result",
    said("assistant", call("c"), result("c")),
    { ...NOTHING, calls: ["c"], answered: ["c"] },
  ],
  ["a result", answered("c"), { ...NOTHING, answered: ["c"], answers: "c" }],
  ["a result that begins with a text", said("tool", text, result("c")), { ...NOTHING, answered: ["c"] }],
  ["a tool that says nothing", said("tool"), NOTHING],
])("the outline of %s", (_name, message, outline) => {
  expect(outlineOf([message])).toEqual([outline]);
});

/** The places of the results of the answer at `at`. */
function found(source: readonly Message[], at = 0, used = new Set<Message>()): number[] {
  const results = resultsOf({ source, at, outline: outlineOf(source) }, used);
  for (const message of results) expect(used.has(message)).toBe(true);
  return results.map((message) => source.indexOf(message));
}

const asking = (...ids: readonly string[]): Message => said("assistant", ...ids.map(call));

test.each<readonly [string, readonly Message[], readonly number[]]>([
  ["in the order in which they came", [asking("c", "d"), answered("d"), answered("c")], [1, 2]],
  ["behind what others said", [asking("c"), said("user", text), answered("c")], [2]],
  ["only of calls of the answer", [asking("c"), answered("x"), answered("c")], [2]],
  ["as many as there are calls", [asking("c"), answered("c"), answered("c")], [1]],
  ["two of two calls by one id", [asking("c", "c"), answered("c"), answered("c")], [1, 2]],
  [
    "not the one that the answer holds itself",
    [said("assistant", call("c"), result("c")), answered("c")],
    [],
  ],
  [
    "the second one where the answer holds the first",
    [said("assistant", call("c"), call("c"), result("c")), answered("c")],
    [1],
  ],
  [
    "all of its calls where it holds a result of another call",
    [said("assistant", call("c"), result("x")), answered("c")],
    [1],
  ],
  [
    "not those of a later call of the same id",
    [asking("c", "d"), asking("c"), answered("c"), answered("d")],
    [3],
  ],
  ["also behind an answer without calls", [asking("c"), said("assistant", text), answered("c")], [2]],
  ["none of an answer without calls", [said("assistant", text), answered("c")], []],
])("the results of an answer: %s", (_name, source, places) => {
  expect(found(source)).toEqual(places);
});

test("a result that belongs to another answer is not used again", () => {
  const source = [asking("c"), answered("c"), answered("c")];
  expect(found(source, 0, new Set(source.slice(1, 2)))).toEqual([2]);
});

test("there are no results if there is no message", () => {
  expect(found([asking("c")], 1)).toEqual([]);
});

test("the sources of results are grouped by their calls, with results inside the answer first", () => {
  const [inline, other] = [result("c"), result("d")];
  const answer = said("assistant", call("c"), inline, other);
  const later = said("tool", result("c"), text);
  expect([...sourcesOf(answer, [inline, other], [later])]).toEqual([
    [
      "c",
      [
        { message: answer, block: inline },
        { message: later, block: later.content[0] },
      ],
    ],
    ["d", [{ message: answer, block: other }]],
  ]);
});

test("calls without a result are last", () => {
  expect(["b", "x", "a"].map((id) => rank(["a", "b"], id))).toEqual([1, 2, 0]);
});
