import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { exactOf, parseExactly } from "./exact.ts";

test.each([
  '{"id":9007199254740993,"n":[12.0,1e3,-0,0.10,1.2345678901234567890],"text":"12.0"}',
  '{"a":{"b":[{"c":12345678901234567890123}]}}',
  "[ 1.0 ]".replaceAll(" ", ""),
])("%s is written as it was read", (text) => {
  const value = parseExactly(text);
  expect(JSON.stringify(exactOf(value))).toBe(text);
  expect(value).toEqual(JSON.parse(text));
});

test("a copy with another field keeps its numbers", () => {
  const value = exactOf(parseExactly('{"id":9007199254740993,"name":"a"}'));
  expect(JSON.stringify({ ...(value as object), name: "b" })).toBe('{"id":9007199254740993,"name":"b"}');
});

test("a value that JSON writes as it was read is its own exact form", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      const text = JSON.stringify(json);
      const value = parseExactly(text);
      expect(JSON.stringify(exactOf(value))).toBe(text);
      expect(exactOf(value)).toBe(value);
    }),
  );
});

test.each([
  ["a plain zero", '{"usage":{"input":0,"output":[0, 10]},"at":-10}'],
  ["a time", '{"timestamp":"2026-11-21T20:43:00.000Z","at":"20:43:10.120"}'],
])("a record with %s is parsed once", (_, text) => {
  const parse = vi.spyOn(JSON, "parse");
  try {
    parseExactly(text);
    expect(parse).toHaveBeenCalledTimes(1);
  } finally {
    parse.mockRestore();
  }
});
