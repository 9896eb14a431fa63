import fc from "fast-check";
import { expect, test } from "vitest";
import { toTitle } from "./title.ts";

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
