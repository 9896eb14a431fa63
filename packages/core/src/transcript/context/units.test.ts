/** These tests cover messages that stay together, and those that belong to no context. */

import { describe, expect, test } from "vitest";
import type { Block, Message, Role } from "../../model/index.ts";
import { toModelOrder, toUnits } from "./units.ts";

const call = (id: string, more: object = {}): Block => ({
  type: "tool_call",
  id,
  name: "t",
  args: {},
  ...more,
});
const result = (toolCallId: string): Block => ({
  type: "tool_result",
  toolCallId,
  content: [],
  isError: false,
});
const text: Block = { type: "text", text: "words" };
const thinking: Block = { type: "thinking", text: "hm" };

function message(id: string, role: Role, ...content: readonly Block[]): Message {
  return { id, role, content, metadata: {} };
}

function answer(id: string, ...results: readonly string[]): Message {
  return { ...message(id, "tool", ...results.map(result)), toolCallId: results[0] ?? "" };
}

/** Ids of units, each as its members with their places; `*` is before those of the system. */
function shapesOf(messages: readonly Message[]): readonly string[] {
  return toUnits(messages).units.map(({ isSystem, members }) =>
    [isSystem ? "*" : "", members.map((member) => `${member.message.id}${member.position}`).join(" ")].join(
      "",
    ),
  );
}

describe("units", () => {
  test.each<readonly [string, readonly Message[], readonly string[]]>([
    ["are messages", [message("s", "system", text), message("u", "user", text)], ["*s0", "u1"]],
    [
      "are calls and their results, in the order of their last messages",
      [
        message("a", "assistant", call("c"), call("d")),
        message("u", "user", text),
        answer("r", "d"),
        answer("q", "c"),
      ],
      ["u1", "a0 r2 q3"],
    ],
    [
      "are joined by a message with results of two",
      [message("a", "assistant", call("c")), message("b", "assistant", call("d")), answer("r", "c", "d")],
      ["a0 b1 r2"],
    ],
    [
      "are joined by a message with a result and a call",
      [
        message("a", "assistant", call("c")),
        message("b", "assistant", result("c"), call("d")),
        answer("r", "d"),
      ],
      ["a0 b1 r2"],
    ],
    [
      "are joined through messages that were joined before",
      [
        message("a", "assistant", call("c")),
        message("b", "assistant", call("d")),
        message("e", "assistant", call("f")),
        answer("q", "d", "f"),
        answer("r", "c"),
        message("g", "assistant", call("h")),
        answer("i", "h"),
      ],
      ["b1 e2 q3", "a0 r4", "g5 i6"],
    ],
    [
      "are one message with a call and its result",
      [message("a", "assistant", call("c"), result("c"))],
      ["a0"],
    ],
    [
      "of the system are those of nothing else",
      [message("s", "system", call("c")), answer("r", "c")],
      ["s0 r1"],
    ],
  ])("%s", (_, messages, expected) => {
    expect(shapesOf(messages)).toEqual(expected);
  });

  test.each<readonly [string, readonly Message[], readonly Message[], object]>([
    [
      "nothing if all pairs are complete",
      [message("a", "assistant", thinking)],
      [message("a", "assistant", thinking)],
      {},
    ],
    [
      "a call without a result; its message keeps its words",
      [message("a", "assistant", text, call("c"))],
      [message("a", "assistant", text)],
      { calls: 1 },
    ],
    [
      "a message of which only thoughts are left",
      [message("a", "assistant", thinking, call("c")), message("b", "assistant", thinking)],
      [message("b", "assistant", thinking)],
      { calls: 1 },
    ],
    ["a result without a call, and its message", [answer("r", "c")], [], { results: 1 }],
    [
      "the second result of a call",
      [message("a", "assistant", call("c")), answer("q", "c"), answer("r", "c")],
      [message("a", "assistant", call("c")), answer("q", "c")],
      { results: 1 },
    ],
    [
      "the first of two calls of one id",
      [message("a", "assistant", text, call("c")), message("b", "assistant", call("c")), answer("r", "c")],
      [message("a", "assistant", text), message("b", "assistant", call("c")), answer("r", "c")],
      { calls: 1 },
    ],
    [
      "no call of an id that was answered",
      [
        message("a", "assistant", call("c")),
        answer("q", "c"),
        message("b", "assistant", call("c")),
        answer("r", "c"),
      ],
      [
        message("a", "assistant", call("c")),
        answer("q", "c"),
        message("b", "assistant", call("c")),
        answer("r", "c"),
      ],
      {},
    ],
    [
      "no call that the model's vendor ran, and another one next to it",
      [message("a", "assistant", call("c", { ranBy: "model" }), call("d"))],
      [message("a", "assistant", call("c", { ranBy: "model" }))],
      { calls: 1 },
    ],
    [
      "a tool's message without a result, if something else is left out",
      [message("t", "tool", text), message("a", "assistant", call("c"))],
      [],
      { calls: 1 },
    ],
  ])("leave out %s", (_, messages, expected, halves) => {
    const found = toUnits(messages);
    expect(found.units.flatMap(({ members }) => members.map((member) => member.message))).toEqual(expected);
    expect(found.halves).toEqual({ calls: 0, results: 0, ...halves });
  });
});

test("in the order of models a result follows its own call, and what has no call stays", () => {
  const order = (...messages: readonly Message[]): string =>
    toModelOrder(messages)
      .map(({ id }) => id)
      .join(" ");
  const [a, u, r] = [
    message("a", "assistant", call("c")),
    message("u", "user", text),
    answer("r", "c"),
  ] as const;
  expect(order(a, u, r)).toBe("a r u");
  expect(order(r, a, u)).toBe("r a u");
  expect(order(a, u, answer("q", "x"), r)).toBe("a r u q");
  expect(order(a, u, { ...message("v", "user", text), toolCallId: "c" })).toBe("a u v");
  const { toolCallId: _, ...nameless } = r;
  expect(order(a, u, nameless)).toBe("a u r");
  expect(order(a, r, { ...a, id: "b" }, u, { ...r, id: "q" })).toBe("a r b q u");
});
