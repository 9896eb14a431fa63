import { expect, test } from "vitest";
import { createTypingWait } from "./typing.ts";

/** The milliseconds that each text waits; the first number of each is the time at which it was typed. */
function waitsOf(typed: readonly (readonly [at: number, text: string])[]): readonly number[] {
  let now = 0;
  const wait = createTypingWait(() => now);
  return typed.map(([at, text]) => {
    now = at;
    return wait(text);
  });
}

test("a text that is pasted, and an emptied line, are searched at once", () => {
  expect(waitsOf([[0, "function"]])).toEqual([0]);
  expect(
    waitsOf([
      [0, "function"],
      [1_000, ""],
    ]),
  ).toEqual([0, 0]);
});

test("a word that is typed is searched at a pause, and one or two characters at a longer one", () => {
  expect(
    waitsOf([
      [0, "f"],
      [100, "fu"],
      [200, "fun"],
      [300, "func"],
      [1_000, "funct"],
    ]),
  ).toEqual([180, 180, 80, 80, 0]);
});
