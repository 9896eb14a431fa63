import fc from "fast-check";
import { expect, test } from "vitest";
import { estimateTokens } from "./estimate-tokens.ts";

/** The pieces of a text, as an expression says them. */
const PIECE =
  /[A-Z]?[a-z]+|[A-Z]+|\d+|[ \t]+|\n+|([!-/:-@[-`{-~])\1*|[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]+|./gsu;

function costOf(piece: string): number {
  const first = piece.charCodeAt(0);
  if (first === 0x20 || first === 0x09) return piece.length === 1 ? 0.1 : Math.ceil(piece.length / 8);
  if (first === 0x0a) return 1;
  if (first > 0x7f) return /^[\p{L}\p{M}]/u.test(piece) ? 1.2 * Math.max(1, piece.length / 2) : 3;
  if (first >= 0x30 && first <= 0x39) return Math.ceil(piece.length / 2);
  if (/[a-z]/u.test(piece)) return Math.ceil(piece.length / 6);
  return first >= 0x41 && first <= 0x5a ? Math.ceil(piece.length / 2) : Math.ceil(piece.length / 4);
}

const unit = fc.constantFrom(
  ..."aZz09 \t\n\r\u0000#/~_`éЖω注ぉ한・、👍🏽\ud800\udc00\u0301",
  "Ab",
  "XMLHttp",
  "    ",
);

test("the estimate is the sum of what its words, numbers, spaces and other pieces cost", () => {
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
      const pieces = Array.from(text.matchAll(PIECE), ([piece]) => costOf(piece));
      expect(estimateTokens(text)).toBe(Math.ceil(pieces.reduce((sum, cost) => sum + cost, 0)));
    }),
  );
});

test.each([
  ["", 0],
  ["Where is my order?", 6],
  ["注文はどこですか", 10],
  ["Где мой заказ?", 8],
])("the text %j costs %j tokens", (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens);
});

test("a long text is estimated by its beginning, its middle and its end", () => {
  const third = "word ".repeat(60_000);
  const all = estimateTokens(third) * 2 + 1.2 * third.length;
  const estimate = estimateTokens(`${third}${"注".repeat(third.length)}${third}`);
  expect(estimate / all).toBeGreaterThan(0.9);
  expect(estimate / all).toBeLessThan(1.1);
});
