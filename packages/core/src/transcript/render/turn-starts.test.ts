/** The rule of where a turn begins: the questions that a list counts are the turns that a page numbers. */

import { expect, test } from "vitest";
import type { Message } from "../../model/index.ts";
import { createTurnStarts } from "./turn-starts.ts";

function message(origin: NonNullable<Message["origin"]>, at: number): Message {
  const role = origin === "agent" ? "assistant" : origin === "notification" ? "system" : "user";
  return { id: `m${at}`, role, content: [{ type: "text", text: origin }], origin, metadata: {} };
}

const startsOf = (origins: readonly NonNullable<Message["origin"]>[], isBegun?: boolean): boolean[] =>
  origins.map(message).map(createTurnStarts(isBegun));

test("what is injected before the first question is of its turn", () => {
  expect(startsOf(["notification", "injected", "person", "agent", "person"])).toEqual([
    true,
    false,
    false,
    false,
    true,
  ]);
});

test("two questions are two turns, also when something was injected between them", () => {
  expect(startsOf(["person", "person", "injected", "person"])).toEqual([true, true, false, true]);
});

test("an answer or a summary without a question is a turn of its own", () => {
  expect(startsOf(["injected", "agent", "person"])).toEqual([true, false, true]);
  expect(startsOf(["summary", "injected", "person"])).toEqual([true, false, true]);
});

test("in a later part of a history only a question begins a turn", () => {
  expect(startsOf(["injected", "person", "agent"], true)).toEqual([false, true, false]);
});
