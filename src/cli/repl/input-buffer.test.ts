import { expect, test } from "vitest";
import { keysIn } from "../conversation/drawing/index.ts";
import { EMPTY_BUFFER, linesOf, pressKeys } from "./input-buffer.ts";
import { REPL_LIMITS } from "./limits.ts";

const UP = "\u001b[A";
const DOWN = "\u001b[B";

test.each<[string, string, readonly string[], string, readonly string[]]>([
  ["letters, pairs and Backspace", "a😀b\u007f\u007fc", [], "ac|", []],
  ["keys that move", "bc\u0001a\u0005d\u001b[D\u001b[D!", [], "ab!|cd", []],
  ["keys that remove", "one two\u0017three\u001b[D\u001b[3~", [], "one thre|", []],
  ["the rest of the line, and the line", "abc\u001b[D\u000b\u0015x", [], "x|", []],
  ["keys that mean nothing here", "a\u001b[5~\t\u001a\u0000b", [], "ab|", []],
  ["empty lines are none", "\r  \ra\n", ["a"], "|", []],
  ["Up takes the last line back", `a\rb\r${UP}`, ["a"], "b|", []],
  ["and again the one before", `a\rb\r${UP}${UP}`, [], "a|", ["b"]],
  ["the line that was typed waits behind them", `a\rb${UP}`, [], "a|", ["b"]],
  ["Down goes forward", `a\rb\r${UP}${UP}x${DOWN}y`, ["ax"], "by|", []],
  ["Enter puts it back in its place", `a\rb\rc\r${UP}${UP}x\r`, ["a", "bx", "c"], "|", []],
  ["a line of which nothing is left is gone", `a\rb\r${UP}\u0015\r`, ["a"], "|", []],
  ["Up and Down where nothing waits", `${UP}a${UP}${DOWN}b`, [], "ab|", []],
])("%s", (_, keys, before, text, after) => {
  const whole = pressKeys(EMPTY_BUFFER, keys);
  const oneByOne = keysIn(keys).reduce((draft, key) => pressKeys(draft, key).draft, EMPTY_BUFFER);
  const cursor = text.indexOf("|");
  expect(whole.draft).toEqual({ before, text: text.replace("|", ""), cursor, after });
  expect(oneByOne).toEqual(whole.draft);
});

test("an interrupt empties the draft, and loses no line of it", () => {
  const { draft, interrupts, kept } = pressKeys(EMPTY_BUFFER, `a\rb\rc${UP}\u0003d\r /cancel \re`);
  expect([interrupts, kept, linesOf(draft)]).toEqual([2, ["a", "b", "c", "d"], ["e"]]);
});

test("a draft is bounded, and contains no escape sequence", () => {
  const { draft } = pressKeys(EMPTY_BUFFER, `${"x".repeat(REPL_LIMITS.aheadChars)}\ry\u009b2J`);
  expect(linesOf(draft).join("").length).toBe(REPL_LIMITS.aheadChars);
  expect(pressKeys(EMPTY_BUFFER, "a\u202eb").draft.text).not.toContain("\u202e");
});
