import { expect, test, vi } from "vitest";
import { MAX_RECORD_DEPTH, parseJson, TooDeepError } from "./depth.ts";

test.each([
  ["[", "]"],
  ['{"a":', "}"],
  ['{"b":[],"a":[', "]}"],
])("JSON of %s is parsed up to the depth of records", (open, close) => {
  const levels = open.includes("b") ? MAX_RECORD_DEPTH / 2 : MAX_RECORD_DEPTH;
  const nested = (depth: number): string => `${open.repeat(depth)}1${close.repeat(depth)}`;
  expect(JSON.stringify(parseJson(nested(levels)))).toBe(nested(levels));
  expect(() => parseJson(nested(levels + 1))).toThrow(TooDeepError);
  expect(() => parseJson(nested(100_000))).toThrow(TooDeepError);
});

test("a long text that is nested too deep is not given to the parser, which would take memory for every level", () => {
  const parse = vi.spyOn(JSON, "parse");
  try {
    expect(() => parseJson("[".repeat(2_000_000))).toThrow(TooDeepError);
    expect(() => parseJson(`{"a":"\\\\","b":${'{"c":'.repeat(400_000)}`)).toThrow(TooDeepError);
    expect(parse).not.toHaveBeenCalled();
  } finally {
    parse.mockRestore();
  }
});

test.each([
  ["brackets in texts", JSON.stringify("[{".repeat(600_000))],
  ["quotes and backslashes in texts", JSON.stringify('\\"[{'.repeat(300_000))],
  ["many lists side by side", JSON.stringify(Array.from({ length: 300_000 }, () => [[]]))],
])("a long text is parsed with %s", (_what, text) => {
  expect(text.length).toBeGreaterThan(1024 * 1024);
  expect(JSON.stringify(parseJson(text)) === text).toBe(true);
});
