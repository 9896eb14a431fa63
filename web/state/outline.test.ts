import type { Outline } from "@continuo/core/wire/machine";
import { expect, test } from "vitest";
import { withNewestTurns, withOlderTurns } from "./outline.ts";

/** Turns of one session from one number to another; `ids` distinguishes sessions. */
function outline(from: number, to: number, ids = "q"): Outline {
  const numbers = Array.from({ length: to - from + 1 }, (_, n) => from + n);
  const turns = numbers.map((number) => ({
    number,
    id: `${ids}${number}`,
    index: 0,
    title: null,
    at: null,
    endedAt: null,
    messages: 1,
    toolCalls: 0,
    errors: 1,
    models: [],
    tokens: 0,
    costUsd: null,
  }));
  const marks = numbers.map((turn) => ({
    ...({ type: "error", messageId: `${ids}${turn}`, index: 0, turn, at: null, text: "" } as const),
  }));
  return { turns, marks, total: to, hasOlder: from > 1, files: [], seenFrom: null };
}

test("earlier turns come before the known ones, once", () => {
  const known = outline(11, 20);
  expect(withOlderTurns(known, outline(1, 10))).toEqual(outline(1, 20));
  expect(withOlderTurns(known, outline(1, 9))).toBe(known);
  expect(withOlderTurns(outline(1, 20), outline(1, 10))).toEqual(outline(1, 20));
});

test("earlier turns stay loaded when a session grows", () => {
  expect(withNewestTurns(outline(1, 20), outline(16, 25))).toEqual(outline(1, 25));
  expect(withNewestTurns(outline(16, 20), outline(16, 21))).toEqual(outline(16, 21));
});

test("turns of a session that was rewritten, or that do not follow, are forgotten", () => {
  const newest = outline(16, 25);
  expect(withNewestTurns(null, newest)).toBe(newest);
  expect(withNewestTurns(outline(1, 20, "other"), newest)).toBe(newest);
  expect(withNewestTurns(outline(1, 10), newest)).toBe(newest);
  expect(withNewestTurns(outline(1, 10), outline(1, 0))).toEqual(outline(1, 0));
});
