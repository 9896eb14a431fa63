import { ContinuoError } from "@continuo/core/model";
import { expect, test } from "vitest";
import { checkRef, checkResult, checkText, checkUsage, fitError, omissionEntries } from "./agent-result.ts";
import { LIMITS } from "./limits.ts";

const WHOLE = {
  stopReason: "end_turn",
  usage: { inputTokens: 3, outputTokens: 4 },
  costUsd: 0.5,
  nativeRef: { agent: "claude", sessionId: "s1", location: "/tmp/s1", cwd: "/tmp" },
  value: { answer: [1, "two", null] },
};

test("a result that fits is kept as it is", () => {
  expect(checkResult(WHOLE, "claude")).toEqual({ result: WHOLE, omissions: [] });
});

test.each([undefined, null, "done", 7])("a result that is %j has no fields", (given) => {
  expect(checkResult(given, "claude")).toEqual({ result: {}, omissions: [] });
});

test("fields that are null or missing are left out", () => {
  expect(checkResult({ stopReason: null, usage: undefined, extra: 1 }, "claude")).toEqual({
    result: {},
    omissions: [],
  });
});

test.each([
  ["stopReason", 7, "invalid", "it is not a text"],
  ["stopReason", "x".repeat(LIMITS.wordChars + 1), "too_large", "it has 1001 characters, more than 1000"],
  ["usage", "many", "invalid", "it is not an object"],
  ["usage", { inputTokens: "3" }, "invalid", "inputTokens is not a number"],
  ["costUsd", "1", "invalid", "it is not a number"],
  ["costUsd", Number.NaN, "invalid", "it is not a number"],
  ["nativeRef", "s1", "invalid", "it is not a native reference"],
  ["nativeRef", { sessionId: "" }, "invalid", "it names no native session"],
  ["nativeRef", { sessionId: 7 }, "invalid", "it is not a text"],
  ["nativeRef", { sessionId: "s", agent: null }, "invalid", "it is not a text"],
  ["nativeRef", { sessionId: "s", cwd: 7 }, "invalid", "it is not a text"],
])("%s that is %j is left out, and said to be", (field, value, code, reason) => {
  const { [field as "stopReason"]: _, ...rest } = WHOLE;
  expect(checkResult({ ...WHOLE, [field]: value }, "claude")).toEqual({
    result: rest,
    omissions: [{ field, code, reason }],
  });
});

test("bytes of JSON up to the limit are kept", () => {
  const largest = "x".repeat(LIMITS.errorChars - '{"a":""}'.length - "[[[[]]]]".length);
  const omittedFrom = (a: string) =>
    fitError({ code: "agent_failed", message: "no", details: { a } }).omissions;
  expect(omittedFrom(largest)).toEqual([]);
  expect(omittedFrom(`${largest}x`)).toMatchObject([{ field: "details", code: "too_large" }]);
});

test("a field that throws when it is read is left out", () => {
  const given = {
    get stopReason() {
      throw new Error("no");
    },
  };
  const omissions = [{ field: "stopReason", code: "invalid", reason: "no" }];
  expect(checkResult(given, "claude")).toEqual({ result: {}, omissions });
});

test("a value that is not JSON is replaced by its text", () => {
  const { result, omissions } = checkResult({ value: 12n }, "claude");
  expect(omissions).toMatchObject([{ field: "value", code: "invalid" }]);
  expect(result).toEqual({ value: { unreadable: "12" } });
});

test("a value that is too large is replaced by the reason", () => {
  const reason = `it has more than ${LIMITS.resultBytes} bytes`;
  const large = "é".repeat(LIMITS.resultBytes / 2);
  expect(checkResult({ stopReason: "end_turn", value: large }, "claude")).toEqual({
    result: { stopReason: "end_turn", value: { unreadable: reason } },
    omissions: [{ field: "value", code: "too_large", reason }],
  });
});

test("a text of exactly the limit is kept", () => {
  expect(checkText("x".repeat(10), 10)).toBe("x".repeat(10));
  expect(() => checkText("x".repeat(11), 10)).toThrow(expect.objectContaining({ code: "too_large" }));
});

test("a native reference without an agent belongs to the agent of the run", () => {
  expect(checkRef({ sessionId: "s", location: null, more: 1 }, "pi")).toEqual({
    agent: "pi",
    sessionId: "s",
    location: null,
    cwd: null,
  });
});

test("usage without a count that is known is unknown, and not 0", () => {
  expect(checkUsage({})).toBeUndefined();
  expect(checkUsage({ other: 7, inputTokens: undefined })).toBeUndefined();
  expect(checkUsage({ outputTokens: 0 })).toEqual({ inputTokens: 0, outputTokens: 0 });
});

test("a long name in an error about usage is cut", () => {
  expect(() => checkUsage({ ["k".repeat(50)]: "1" })).toThrow(
    expect.objectContaining({ code: "invalid", message: `${"k".repeat(39)}… is not a number` }),
  );
});

test("each omission is an event of the system", () => {
  expect(omissionEntries([{ field: "value", code: "too_large", reason: "it is long" }])).toEqual([
    {
      type: "error_raised",
      data: {
        message: "value of the agent could not be kept: it is long",
        code: "too_large",
        details: { field: "value" },
      },
      by: "system",
    },
  ]);
});

test("an error that fits is kept as it is", () => {
  const error = { code: "agent_failed", message: "x".repeat(LIMITS.errorChars), details: { status: 529 } };
  expect(fitError(error)).toEqual({ error, omissions: [] });
});

test("the message of an error is cut, never inside a character", () => {
  const message = `${"x".repeat(LIMITS.errorChars - 2)}😀😀`;
  const { error, omissions } = fitError({ code: "agent_failed", message });
  expect(error).toEqual({ code: "agent_failed", message: `${"x".repeat(LIMITS.errorChars - 2)}…` });
  const reason = `it has ${LIMITS.errorChars + 2} characters, and was cut after ${LIMITS.errorChars}`;
  expect(omissions).toEqual([{ field: "error", code: "too_large", reason }]);
});

test("details of an error that cannot be kept are left out", () => {
  const details = { output: "x".repeat(LIMITS.errorChars) };
  expect(fitError({ code: "agent_failed", message: "no", details })).toEqual({
    error: { code: "agent_failed", message: "no" },
    omissions: [
      { field: "details", code: "too_large", reason: `it has more than ${LIMITS.errorChars} bytes` },
    ],
  });
});

test("an error whose message and details are both too long reports both", () => {
  const long = "x".repeat(LIMITS.errorChars + 1);
  const { omissions } = fitError({ code: "agent_failed", message: long, details: { long } });
  expect(omissions.map(({ field }) => field)).toEqual(["error", "details"]);
});

test("a thrown value that throws again while it is read becomes a short text", () => {
  const given = {
    get costUsd() {
      throw new ContinuoError("not_found", "x".repeat(2 * LIMITS.wordChars));
    },
  };
  const [omission] = checkResult(given, "claude").omissions;
  expect(omission).toEqual({
    field: "costUsd",
    code: "invalid",
    reason: `${"x".repeat(LIMITS.wordChars - 1)}…`,
  });
});
