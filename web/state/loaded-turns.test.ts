import type { Message } from "@continuo/core/model";
import type { WindowMessage } from "@continuo/core/wire/machine";
import { expect, test } from "vitest";
import { outlineOfLoaded, withTurns } from "./loaded-turns.ts";

function loaded(id: string, turnId: string, message: Partial<Message>): WindowMessage {
  const whole = { id, role: "assistant", content: [], metadata: {}, ...message } as unknown as Message;
  return { message: whole, index: null, turnId, turn: null, costUsd: null, cuts: [] };
}

const asked = (id: string, text: string): WindowMessage =>
  loaded(id, id, { role: "user", content: [{ type: "text", text }] });

/** The end of a long session: the first message belongs to a turn that began before. */
const END: readonly WindowMessage[] = [
  loaded("a1", "a1", { content: [{ type: "text", text: "The tests pass." }] }),
  asked("u2", "Rename the field"),
  loaded("a2", "u2", { content: [{ type: "tool_call", id: "t", name: "Edit", args: {} }] }),
  loaded("r2", "u2", {
    role: "tool",
    content: [{ type: "tool_result", toolCallId: "t", isError: true, content: [] }],
  }),
  asked("u3", "Try it again"),
];

test("turns of the end count back from the number of all turns, or from -1 if that is not known", () => {
  const numbers = (total: number | null): readonly (number | null)[] =>
    withTurns(END, total).map(({ turn }) => turn);
  expect(numbers(1_500)).toEqual([1_498, 1_499, 1_499, 1_499, 1_500]);
  expect(numbers(null)).toEqual([-3, -2, -2, -2, -1]);
});

test("messages with a known turn keep it, and earlier ones count back from them", () => {
  const [first, ...others] = END;
  const last = others.map((one, at) => ({ ...one, turn: at < 3 ? 8 : 9 }));
  const all = first === undefined ? [] : [first, ...last];
  expect(withTurns(all, 1_500).map(({ turn }) => turn)).toEqual([7, 8, 8, 8, 9]);
  expect(withTurns(last, null)).toBe(last);
});

test("the outline of the loaded messages has their questions, calls and errors", () => {
  const { turns, marks, total, hasOlder } = outlineOfLoaded(withTurns(END, null));
  expect(turns.map(({ number, title, toolCalls, errors }) => [number, title, toolCalls, errors])).toEqual([
    [-3, null, 0, 0],
    [-2, "Rename the field", 1, 1],
    [-1, "Try it again", 0, 0],
  ]);
  expect(marks.map(({ type, turn, messageId }) => [type, turn, messageId])).toEqual([["error", -2, "r2"]]);
  expect([total, hasOlder]).toEqual([0, true]);
});
