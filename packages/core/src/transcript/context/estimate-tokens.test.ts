import { expect, test } from "vitest";
import { estimateTokens } from "./estimate-tokens.ts";

test.each([
  ["", 0],
  ["Where is my order?", 6],
  ["注文はどこですか", 10],
  ["Где мой заказ?", 8],
  ["école", 3],
  ["XMLHttp", 3],
  ["20261122", 4],
  ["a        b\n\n\nc", 5],
  ["########", 2],
  ["、👍\ud800", 9],
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
