import fc from "fast-check";
import { expect, test } from "vitest";
import { REPL_LIMITS } from "./limits.ts";
import { addPaste, filterKeys, isWhole, NO_PASTES, type Pastes, withPastes } from "./paste.ts";

function feed(chunks: readonly string[]): { readonly keys: string; readonly pastes: Pastes } {
  let pastes = NO_PASTES;
  let keys = "";
  for (const chunk of chunks) {
    const filtered = filterKeys(pastes, chunk);
    pastes = filtered.pastes;
    keys += filtered.keys;
  }
  return { keys, pastes };
}

const paste = (text: string): string => `\u001b[200~${text}\u001b[201~`;

test.each([
  ["keys pass", "ab\u001b[A\r", "ab\u001b[A\r"],
  ["a lone escape is a key", "\u001b", "\u001b"],
  ["one line is typed", `a${paste("one line")}b`, "aone lineb"],
  ["the end of its line is not sent", paste("one line\r"), "one line"],
  ["controls are made visible", paste("a\u0003\u001b[31m"), "a␃␛[31m"],
  ["Ctrl-V names the picture of the clipboard", "see\u0016", "see @clipboard "],
  ["a Ctrl-V that is pasted is no key", paste("a\u0016b"), "a␖b"],
  ["several lines are one mark", `see ${paste("a\r\nb\rc")}!`, "see [paste 1: 3 lines]!"],
])("%s", (_, typed, keys) => {
  expect(feed([typed]).keys).toBe(keys);
});

test("a line is sent with the pasted text", () => {
  const { keys, pastes } = feed([`first ${paste("a\nb")} then ${paste("\tc\nd\n")} [paste 9: 2 lines]`]);
  expect(withPastes(keys, pastes)).toBe("first a\nb then \tc\nd [paste 9: 2 lines]");
});

test("a paste has the same result, however slowly it arrives", () => {
  const typed = `x${paste("one\ntwo")}y${paste("z")}\u001b[B`;
  const whole = feed([typed]);
  fc.assert(
    fc.property(fc.array(fc.nat(typed.length), { maxLength: 10 }), (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), typed.length];
      const parts = places.slice(1).map((end, at) => typed.slice(places[at], end));
      // No part ends after the ESC that begins a paste, because a single ESC is a key. A terminal sends at least the
      // bracket with it.
      fc.pre(!cuts.some((at) => typed.startsWith("\u001b[200~", at - 1)));
      expect(feed(parts)).toEqual(whole);
    }),
  );
});

test("the newest pastes are remembered", () => {
  let pastes = NO_PASTES;
  for (let at = 0; at < REPL_LIMITS.pastes + 10; at++) pastes = addPaste(pastes, `a\n${at}`).pastes;
  expect(pastes.texts.size).toBe(REPL_LIMITS.pastes);
  expect(withPastes("[paste 74: 2 lines]", pastes)).toBe("a\n73");
  expect(withPastes("[paste 1: 2 lines]", pastes)).toBe("[paste 1: 2 lines]");
  expect(isWhole("[paste 11: 2 lines] and [paste 74: 2 lines]", pastes)).toBe(true);
  expect(isWhole("[paste 74: 2 lines] and [paste 10: 2 lines]", pastes)).toBe(false);
});

test("a paste that is too long is cut and marked as cut, and ends at its end mark, even if that arrives in two pieces", () => {
  const long = `a\n${"x".repeat(REPL_LIMITS.pasteChars)}`;
  const { keys, pastes } = feed([`${paste(long).slice(0, -3)}`, "01~ typed"]);
  expect(keys).toBe("[paste 1: 2 lines, cut] typed");
  expect(withPastes(keys, pastes)).toBe(`${long.slice(0, REPL_LIMITS.pasteChars)} typed`);
});

test.each([
  ["typed", [false]],
  [`a${paste("b")}`, [true]],
  ["\u001b[200~a|b|c\u001b[201~|d", [true, true, true, false]],
])("%j: pasted text differs from typed text", (chunks, expected) => {
  let pastes = NO_PASTES;
  const seen = chunks.split("|").map((chunk) => {
    const filtered = filterKeys(pastes, chunk);
    pastes = filtered.pastes;
    return filtered.hasPaste;
  });
  expect(seen).toEqual(expected);
});
