import { expect, test } from "vitest";
import { ContinuoError, exitCodeOf, httpStatusOf, isContinuoError } from "./errors.ts";

test("a code has one exit code and one HTTP status", () => {
  const error = new ContinuoError("session_live", "it is open", { hint: "close it", details: { pid: 7 } });
  expect([exitCodeOf(error), httpStatusOf(error), error.hint, error.details]).toEqual([
    5,
    409,
    "close it",
    { pid: 7 },
  ]);
  expect(isContinuoError(error, "session_live")).toBe(true);
  expect(isContinuoError(error, "conflict")).toBe(false);
});

test("what is no error of ours is an internal one", () => {
  expect([exitCodeOf(new TypeError("x")), httpStatusOf("x")]).toEqual([1, 500]);
});
