import { expect, test } from "vitest";
import { entryOf, parseCommented, textOfValue, toTime } from "./json.ts";

test.each([
  ["2026-11-22T05:00:00.123Z", "2026-11-22T05:00:00.123Z"],
  ["2026-12-31T23:59:59.999Z", "2026-12-31T23:59:59.999Z"],
  ["2026-11-22T05:00:00Z", "2026-11-22T05:00:00.000Z"],
  ["2026-11-22T05:00:00.123+02:00", "2026-11-22T03:00:00.123Z"],
  ["2026-13-22T05:00:00.123Z", null],
  ["2026-00-22T05:00:00.123Z", null],
  ["2026-11-00T05:00:00.123Z", null],
  ["2026-11-22T25:00:00.123Z", null],
  ["2026-11-22T05:60:00.123Z", null],
  ["2026-11-22T05:00:60.123Z", null],
  ["yesterday", null],
  [1_795_301_924, null],
])("%s is the time %s", (value, time) => {
  expect(toTime(value)).toBe(time);
});

test.each(["__proto__", "valueOf", "hasOwnProperty", "toString", ""])(
  "no table has an entry for %j",
  (key) => {
    expect(entryOf({ known: 1 }, key)).toBeUndefined();
    expect(entryOf({ known: 1 }, "known")).toBe(1);
  },
);

test("a comment without an end reaches to the end of the text, however many begin in it", () => {
  expect(parseCommented('{"a":1} /* no end')).toEqual({ a: 1 });
  // Looking for an end at each beginning would take minutes here.
  expect(parseCommented(`{"a":1} ${"/* ".repeat(300_000)}`)).toEqual({ a: 1 });
});

test("a value with a toString of its own is still written as text", () => {
  expect([{ toString: 1 }, [{ toString: null }], "a", 1, null, undefined].map(textOfValue)).toEqual([
    "[object Object]",
    "[object Array]",
    ...["a", "1", "null", "undefined"],
  ]);
});
