import fc from "fast-check";
import { expect, test } from "vitest";
import { toGivenTitle, toOneLine, toTitle } from "./title.ts";

test.each([
  ["  fix\n\tthe   bug ", "fix the bug"],
  ["", null],
  [" \n ", null],
  [undefined, null],
  [42, null],
  ["x".repeat(201), `${"x".repeat(199)}…`],
  [`${"x".repeat(198)}😀!!`, `${"x".repeat(198)}…`],
])("the title of %j is %j", (text, title) => {
  expect(toTitle(text)).toBe(title);
});

test("a title is one line of at most 200 units and never half a character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 400 }), (text) => {
      const title = toTitle(text) ?? "x";
      expect(title.length).toBeLessThanOrEqual(200);
      expect(title).not.toMatch(/\n|^\s|\s$/u);
      expect(title.isWellFormed()).toBe(true);
    }),
  );
});

test.each([
  [" a\nb\u001b[31m\u0007c\u0000 ", "a b [31m c"],
  ["\u009b2J\u2028x\ud83d", "2J x\ufffd"],
  ["\u001b\r\n", ""],
])("%j as one line is %j", (text, line) => {
  expect(toOneLine(text)).toBe(line);
});

test("a title that a person gives is shown whole, or refused", () => {
  expect(toGivenTitle(" My\ntitle ")).toBe("My title");
  expect(toGivenTitle("x".repeat(200))).toBe("x".repeat(200));
  for (const text of ["", " \u001b\n", "x".repeat(201)]) {
    expect(() => toGivenTitle(text)).toThrow(expect.objectContaining({ code: "invalid" }));
  }
});
