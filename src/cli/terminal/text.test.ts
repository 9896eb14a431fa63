import { ContinuoError } from "@continuo/core/model";
import { describe, expect, test } from "vitest";
import {
  clockTime,
  errorToJson,
  formatCount,
  formatSize,
  parseSince,
  relativeTime,
  tildePath,
  toJsonText,
} from "./text.ts";

const now = new Date(2026, 10, 21, 12, 30, 0);
const ago = (ms: number): string => new Date(now.getTime() - ms).toISOString();
const HOUR = 3_600_000;

test.each([
  [ago(5_000), "now"],
  [ago(-30_000), "now"],
  [ago(5 * 60_000), "5m ago"],
  [ago(3 * HOUR), "3h ago"],
  [ago(47 * HOUR), "1d ago"],
  [ago(13 * 24 * HOUR), "13d ago"],
  [ago(14 * 24 * HOUR), "2026-11-07"],
  [ago(-48 * HOUR), "2026-11-23"],
  [null, ""],
  ["no time", ""],
])("relativeTime(%j) is %j", (iso, text) => {
  expect(relativeTime(iso, now)).toBe(text);
});

describe("parseSince", () => {
  test.each([
    ["30m", ago(HOUR / 2)],
    ["3h", ago(3 * HOUR)],
    ["2d", ago(48 * HOUR)],
    ["1w", ago(7 * 24 * HOUR)],
    ["today", new Date(2026, 10, 21).toISOString()],
    ["yesterday", new Date(2026, 10, 20).toISOString()],
    ["2026-11-01", new Date(2026, 10, 1).toISOString()],
    ["2026-11-01T08:15", new Date(2026, 10, 1, 8, 15).toISOString()],
    ["2026-11-01 08:15:30", new Date(2026, 10, 1, 8, 15, 30).toISOString()],
    ["2026-11-01T08:15:00Z", "2026-11-01T08:15:00.000Z"],
    ["2026-11-01T08:15:00+02:00", "2026-11-01T06:15:00.000Z"],
  ])("%s", (text, iso) => {
    expect(parseSince(text, now)).toBe(iso);
  });

  test.each(["", "soon", "2", "2y", "-2d", "2026-02-31", "2026-13-01", "2026-11-01T25:00", "2026-11-01Z"])(
    "%j is a usage error with examples",
    (text) => {
      expect(() => parseSince(text, now)).toThrow(
        expect.objectContaining({ code: "usage", hint: expect.stringContaining("2d, 1w, today, yesterday") }),
      );
    },
  );
});

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1024, "1 KB"],
  [150_000, "146 KB"],
  [1_048_000, "1.0 MB"],
  [3_600_000, "3.4 MB"],
  [104_857_600, "100 MB"],
  [5_000_000_000, "4.7 GB"],
])("formatSize(%i) is %j", (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});

test.each([
  [0, "0"],
  [999, "999"],
  [1000, "1,000"],
  [1234567, "1,234,567"],
])("formatCount(%i) is %j", (count, text) => {
  expect(formatCount(count)).toBe(text);
});

test.each([
  ["/home/ann", "/home/ann", "~"],
  ["/home/ann/x", "/home/ann", "~/x"],
  ["/home/anna/x", "/home/ann", "/home/anna/x"],
  ["/x", "/", "/x"],
])("tildePath(%j, %j) is %j", (path, home, text) => {
  expect(tildePath(path, home)).toBe(text);
});

test("clockTime is in local time, and empty if the time is unknown", () => {
  expect([clockTime(now.toISOString()), clockTime(null)]).toEqual(["2026-11-21 12:30", ""]);
});

test("the JSON of an error has its hint also if the hint is for the program, and null if there is none", () => {
  const error = new ContinuoError("not_found", "there is no session a", {
    hint: "Create it first.",
    hintFor: "program",
    details: { sessionId: "a" },
  });
  const shown = { code: "not_found", message: "there is no session a", page: "docs/errors.md#not_found" };
  expect(errorToJson(error)).toEqual({ ...shown, hint: "Create it first.", details: { sessionId: "a" } });
  expect(errorToJson(new ContinuoError("invalid", "the title is empty")).hint).toBe(null);
});

test("JSON shows every character that a reader does not see, and a parser reads the same text", () => {
  const hidden = [
    "\u200b",
    "\u00ad",
    "\ufeff",
    "\u{e0041}",
    "\u115f",
    "\u034f",
    "\u202e",
    "\u2028",
    "\u009b",
  ];
  for (const character of hidden) {
    const json = toJsonText({ text: `a${character}b` });
    expect(json).toMatch(/^[\x20-\x7e]*$/u);
    expect(JSON.parse(json)).toEqual({ text: `a${character}b` });
  }
  expect(toJsonText("a\u200bb\u{e0041}")).toBe('"a\\u200bb\\udb40\\udc41"');
  expect(toJsonText("a\u200db")).toBe('"a\\u200db"');
  for (const text of ["👩\u200d💻 ❤\ufe0f", "می\u200cخواهم", "日本語"])
    expect(toJsonText(text)).toBe(`"${text}"`);
  expect(toJsonText({ a: "\u200b" }, 2)).toBe('{\n  "a": "\\u200b"\n}');
});
