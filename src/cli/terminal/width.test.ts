import { createRequire } from "node:module";
import fc from "fast-check";
import { expect, test } from "vitest";
import { paintFor } from "./paint.ts";
import { cutEnd, cutStart, widthOf, wrap } from "./width.ts";

const plain = paintFor({ hasColours: false });

test.each([
  ["abc", 3],
  ["é…─", 3],
  ["日本", 4],
  ["👩‍💻", 2],
  ["e\u0301", 1],
])("widthOf(%j) is %i", (text, width) => {
  expect(widthOf(text)).toBe(width);
});

test("every character whose width is known without the library has the width that the library returns", () => {
  const measure: (text: string) => number = createRequire(import.meta.url)("string-width").default;
  const all = Array.from({ length: 0xffff }, (_, unit) => String.fromCharCode(unit + 1));
  const other = all.filter((text) => !/[\ud800-\udfff]/u.test(text) && widthOf(text) !== measure(text));
  expect(other).toEqual([]);
  expect(widthOf("a日b本c")).toBe(measure("a日b本c"));
});

test.each([
  ["abcdef", 6, "abcdef", "abcdef"],
  ["abcdef", 4, "abc…", "…def"],
  ["日本語", 5, "日本…", "…本語"],
  ["日本語", 4, "日…", "…語"],
  ["👩‍💻👩‍💻", 3, "👩‍💻…", "…👩‍💻"],
  ["abc", 0, "", ""],
])("%j cut to %i", (text, columns, end, start) => {
  expect([cutEnd(text, columns), cutStart(text, columns)]).toEqual([end, start]);
});

test("wrap breaks at spaces, keeps line feeds, and cuts words that are too long", () => {
  expect(wrap([{ text: "one two three\n\nabcdefghijkl 日本語日本語" }], 8, plain)).toEqual([
    "one two ",
    "three",
    "",
    "abcdefgh",
    "ijkl 日",
    "本語日本",
    "語",
  ]);
});

test("wrap paints each line by itself", () => {
  const coloured = paintFor({ hasColours: true });
  expect(wrap([{ text: "ab cd", styles: ["red"] }], 2, coloured)).toEqual([
    "\u001b[31mab\u001b[39m",
    "\u001b[31mcd\u001b[39m",
  ]);
});

test("wrapped lines fit, and no character except spaces at breaks is lost", () => {
  const text = fc
    .array(fc.constantFrom("a", "bc ", " ", "日", "\n", "longword", "👩‍💻"), { maxLength: 60 })
    .map((p) => p.join(""));
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 20 }), (content, columns) => {
      const lines = wrap([{ text: content }], columns, plain);
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
      expect(lines.join("").replaceAll(" ", "")).toBe(content.replaceAll(/[ \n]/gu, ""));
    }),
  );
});

test("a megabyte without a space is wrapped in one step", () => {
  const lines = wrap([{ text: "x".repeat(1_000_000) }], 80, plain);
  expect([lines.length, lines.at(-1)]).toEqual([12_500, "x".repeat(80)]);
});
