/** The code of the protocol for each error of Continuo. */

import { RequestError } from "@agentclientprotocol/sdk/unstable";
import { ContinuoError, type ErrorCode } from "@continuo/core/model";
import { describe, expect, test } from "vitest";
import { ofFailedRun, toRequestError } from "./errors.ts";

test.each<[ErrorCode, number]>([
  ["not_found", -32_002],
  ["gone", -32_002],
  ["ambiguous", -32_602],
  ["invalid", -32_602],
  ["usage", -32_602],
  ["unsupported", -32_602],
  ["out_of_range", -32_602],
  ["too_large", -32_602],
  ["busy", -32_603],
  ["agent_failed", -32_603],
])("an error %s has the number %d, its words in a line, and its code and hint as data", (ours, code) => {
  const error = toRequestError(new ContinuoError(ours, "it went\n  wrong", { hint: "Try again." }));
  expect([error.code, error.message, error.data]).toEqual([
    code,
    "it went wrong. Try again.",
    { code: ours, hint: "Try again." },
  ]);
});

test("an error of the protocol stays as it is, and any other is an internal one", () => {
  const own = new RequestError(-32_000, "as it was");
  expect(toRequestError(own)).toBe(own);
  expect(toRequestError(new TypeError("x is not a function"))).toMatchObject({
    code: -32_603,
    message: "x is not a function",
  });
});

describe("the error with which a run failed", () => {
  test("keeps its code, and the hint of the error that was thrown", () => {
    const cause = new ContinuoError("unsupported", "robot does not take pictures", { hint: "Leave it out." });
    const error = { code: "unsupported", message: "robot does not take pictures" };
    expect(ofFailedRun({ error, cause })).toMatchObject({
      code: -32_602,
      message: "robot does not take pictures. Leave it out.",
      data: { code: "unsupported", hint: "Leave it out." },
    });
    expect(ofFailedRun({ error, cause: new Error("no") })).toMatchObject({
      code: -32_602,
      message: "robot does not take pictures",
      data: { code: "unsupported" },
    });
  });

  test.each(["not_found", "gone"])("does not say that the session is gone if it is %s", (code) => {
    const failure = ofFailedRun({ error: { code, message: "the agent has no such model" } });
    expect([failure.code, failure.data]).toEqual([-32_603, { code }]);
  });

  test("is one of the agent if nobody knows its code", () => {
    const failure = ofFailedRun({ error: { code: "of tomorrow", message: "it went wrong" } });
    expect([failure.code, failure.message, failure.data]).toEqual([
      -32_603,
      "it went wrong",
      { code: "agent_failed" },
    ]);
  });
});
