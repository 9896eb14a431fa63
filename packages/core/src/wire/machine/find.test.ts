import fc from "fast-check";
import { expect, test } from "vitest";
import { searchableText } from "./find.ts";

test.each([
  ["Naïve DRABÉ", "naive drabe"],
  ["İstanbul", "istanbul"],
  ["ΟΔΟΣ και οδόσ", "οδοσ και οδοσ"],
  ["Ёлка", "елка"],
  ["日本語 Straße", "日本語 straße"],
])("%j is searched as %j", (text, searched) => {
  expect(searchableText(text)).toBe(searched);
});

test("each character keeps its place, whatever the text is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(searchableText(text)).toHaveLength(text.length);
    }),
  );
});
