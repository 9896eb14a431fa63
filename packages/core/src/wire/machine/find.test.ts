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

test("every Latin, Greek and Cyrillic letter with an accent is its base letter", () => {
  for (const [first, last] of [
    [0x41, 0x24f],
    [0x386, 0x3ce],
    [0x400, 0x45f],
    [0x1e00, 0x1fff],
  ] as const) {
    for (let code = first; code <= last; code++) {
      const letter = String.fromCharCode(code);
      const base = letter.normalize("NFD").slice(0, 1).toLowerCase();
      if (/\p{L}/u.test(letter))
        expect([letter, searchableText(letter)]).toEqual([letter, base.replace("ς", "σ")]);
    }
  }
});
