import fc from "fast-check";
import { expect, test } from "vitest";
import { cutText, shorten } from "./cut-text.ts";

test("a text that fits stays as it is, and a longer one is cut; `shorten` marks the cut", () => {
  expect([cutText("abc", 3), cutText("abcd", 3), cutText("abc", 0)]).toEqual(["abc", "abc", ""]);
  expect([shorten("abc", 3), shorten("abcd", 3), shorten("abcd", 1)]).toEqual(["abc", "ab…", "…"]);
});

test("no text is cut inside a character", () => {
  expect([cutText("a😀cd", 2), cutText("a😀cd", 3), shorten("a😀cd", 3)]).toEqual(["a", "a😀", "a…"]);
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), (text, maxChars) => {
      const cut = cutText(text, maxChars);
      expect(cut.isWellFormed()).toBe(true);
      expect(text.startsWith(cut)).toBe(true);
      expect(cut.length).toBeLessThanOrEqual(maxChars);
      if (text.length > maxChars) expect(cut.length).toBeGreaterThanOrEqual(maxChars - 1);
    }),
  );
});
