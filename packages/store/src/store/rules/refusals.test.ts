import type { ContinuoError } from "@continuo/core/model";
import { expect, test } from "vitest";
import * as refusals from "./refusals.ts";

function refusalOf(check: () => void): Pick<ContinuoError, "code" | "message"> | "accepted" {
  try {
    check();
    return "accepted";
  } catch (error) {
    const { code, message } = error as ContinuoError;
    return { code, message };
  }
}

function expectRefusal(check: () => void, message: string | undefined, code = "invalid"): void {
  expect(refusalOf(check)).toEqual(message === undefined ? "accepted" : { code, message });
}

test.each<[ContinuoError, Partial<ContinuoError>]>([
  [
    refusals.logNotFound("l"),
    {
      code: "not_found",
      message: "there is no log l",
      hint: "Create it with createLog or createSession first; a log with a time to live may have expired.",
      details: { logId: "l" },
    },
  ],
  [
    refusals.logGone("l"),
    {
      code: "gone",
      message: "the log l was deleted, and remains only for its forks",
      hint: "Read one of its forks, or delete them to free the id.",
      details: { logId: "l" },
    },
  ],
  [
    refusals.logRemoved("l"),
    { code: "not_found", message: "the log l was deleted while it was read", details: { logId: "l" } },
  ],
  [
    refusals.logClosed("l", 3),
    {
      code: "log_closed",
      message: "the log l is closed",
      hint: "Fork the log to continue after its end.",
      details: { logId: "l", latestSequence: 3 },
    },
  ],
  [refusals.notFound("run", "r"), { code: "not_found", message: "there is no run r", details: { id: "r" } }],
  [refusals.invalid("no"), { code: "invalid", message: "no", details: {} }],
  [
    refusals.tooLarge("the title", 3, 4),
    {
      code: "too_large",
      message: "the title: 4 is more than the limit of 3",
      hint: "Store large data as a blob and refer to it.",
      details: { what: "the title", limit: 3, size: 4 },
    },
  ],
  [
    refusals.conflict("no", { a: 1 }),
    { code: "conflict", message: "no", hint: undefined, details: { a: 1 } },
  ],
  [
    refusals.conflict("no", {}, "Try again."),
    { code: "conflict", message: "no", hint: "Try again.", details: {} },
  ],
  [
    refusals.fenced("no", { a: 1 }),
    {
      code: "fenced",
      message: "no",
      hint: "Stop writing: another process took over. Acquire the lease again if this process must continue.",
      details: { a: 1 },
    },
  ],
  [
    refusals.outOfRange("l", 4, 3),
    {
      code: "out_of_range",
      message: "the log l has not reached sequence 4",
      details: { logId: "l", sequence: 4, latestSequence: 3 },
    },
  ],
])("a refusal has a code, a hint where there is one, and details: %s", (error, expected) => {
  const { code, message, hint, details } = error;
  expect({ hint: undefined, ...expected }).toEqual({ code, message, hint, details });
});

const EMPTY = "the id must be a text that is not empty";
const CONTROL = "the id has control characters";

test.each([
  ["a", undefined],
  [" ", undefined],
  ["~", undefined],
  ["\u0080", undefined],
  ["\u{1f600}", undefined],
  ["", EMPTY],
  [7, EMPTY],
  [null, EMPTY],
  ["a\u0000", CONTROL],
  ["\u001f", CONTROL],
  ["a\u007fb", CONTROL],
  ["\ud800", "the id is not well-formed Unicode"],
])("%j is checked as a name", (name, message) => {
  expectRefusal(() => refusals.assertName("id", name), message);
});

test("a name of 512 UTF-16 units is accepted, a longer one is too large", () => {
  expectRefusal(() => refusals.assertName("id", "\u{1f600}".repeat(256)), undefined);
  const long = "the id: 513 is more than the limit of 512";
  expectRefusal(() => refusals.assertName("id", "x".repeat(513)), long, "too_large");
});

test.each([
  ["", undefined],
  ["a\nb\u007f", undefined],
  [7, "the title must be a text"],
  [undefined, "the title must be a text"],
  ["a\u0000", "the title has a NUL or a lone surrogate"],
  ["\udc00", "the title has a NUL or a lone surrogate"],
])("%j is checked as a text", (text, message) => {
  expectRefusal(() => refusals.assertText("title", text), message);
});

const SEQUENCE = "the after must be a sequence (a whole number of at least 0)";

test.each([
  [0, undefined],
  [Number.MAX_SAFE_INTEGER, undefined],
  [Number.MAX_SAFE_INTEGER + 1, SEQUENCE],
  [-1, SEQUENCE],
  [0.5, SEQUENCE],
  [Number.NaN, SEQUENCE],
  ["1", SEQUENCE],
])("%j is checked as a sequence", (sequence, message) => {
  expectRefusal(() => refusals.assertSequence("after", sequence), message);
});

const TIME = "the expiry must be an ISO 8601 time in UTC (2026-01-31T12:00:00.000Z)";

test.each([
  ["2026-01-31T12:00:00Z", undefined],
  ["2026-01-31T12:00:00.5Z", undefined],
  ["2026-01-31T12:00:00.123456789Z", undefined],
  ["2026-01-31T12:00:00.1234567890Z", TIME],
  ["2026-01-31T12:00:00.Z", TIME],
  ["2026-01-31T12:00:00", TIME],
  ["2026-01-31T12:00:00+01:00", TIME],
  ["2026-13-31T12:00:00Z", TIME],
  ["on 2026-01-31T12:00:00Z", TIME],
  ["2026-01-31", TIME],
  [0, TIME],
  [new Date(0), TIME],
])("%j is checked as a time", (time, message) => {
  expectRefusal(() => refusals.assertTime("expiry", time), message);
});

test("milliseconds become ISO 8601 in UTC", () => {
  expect(refusals.isoOf(1)).toBe("1970-01-01T00:00:00.001Z");
});
