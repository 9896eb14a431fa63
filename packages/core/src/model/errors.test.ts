import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import {
  ContinuoError,
  ERROR_KINDS,
  type ErrorCode,
  exitCodeOf,
  httpStatusOf,
  isContinuoError,
  knownCode,
  pageOfCode,
} from "./errors.ts";

test("an error keeps its code, hint and details", () => {
  const error = new ContinuoError("session_live", "it is open", { hint: "close it", details: { pid: 7 } });
  expect([error.code, error.hint, error.details]).toEqual(["session_live", "close it", { pid: 7 }]);
  expect(isContinuoError(error, "session_live")).toBe(true);
  expect(isContinuoError(error, "conflict")).toBe(false);
});

test("every code has a section with its meaning, its causes and its remedy on the page that its error names", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/errors.md"), "utf8");
  const section =
    /^## (\w+)\n\n\*\*Meaning:\*\* \S.*\.\n\n\*\*Why:\*\* \S.*\.\n\n\*\*What to do:\*\* \S.*\.$/gmu;
  const sections = [...page.matchAll(section)].map(([, code]) => `docs/errors.md#${code}`);
  const codes = Object.keys(ERROR_KINDS) as ErrorCode[];
  const named = [...codes.map((code) => new ContinuoError(code, "x").page), pageOfCode("internal")];
  expect(named.toSorted()).toEqual(sections.toSorted());
});

test("an error that nobody catches is printed with its code, its hint and its page", () => {
  const printed = inspect(new ContinuoError("conflict", "the id is taken", { hint: "Choose another id." }));
  expect(printed).toContain("the id is taken");
  for (const part of ["code: 'conflict'", "hint: 'Choose another id.'", "page: 'docs/errors.md#conflict'"])
    expect(printed).toContain(part);
});

test("an error that is not ours exits with 1 and is an internal server error", () => {
  expect([exitCodeOf("not_found"), httpStatusOf("not_found")]).toEqual([3, 404]);
  expect([exitCodeOf(new TypeError("x")), httpStatusOf("x")]).toEqual([1, 500]);
});

test("a code of another program is kept if Continuo has it, and names of JavaScript are no codes", () => {
  const codes = ["conflict", "quota_exceeded", "constructor", ""].map((code) =>
    knownCode(code, "agent_failed"),
  );
  expect(codes).toEqual(["conflict", "agent_failed", "agent_failed", "agent_failed"]);
});

/** The table is repeated here, because scripts depend on exit codes, and clients on the status. */
const EXPECTED: Readonly<Record<ErrorCode, readonly [exitCode: number, httpStatus: number]>> = {
  usage: [2, 400],
  not_found: [3, 404],
  ambiguous: [1, 300],
  unwritable: [1, 500],
  unreadable: [1, 500],
  unsupported: [1, 501],
  session_live: [5, 409],
  conflict: [5, 409],
  has_forks: [5, 409],
  fidelity: [6, 422],
  verification_failed: [7, 502],
  invalid: [2, 400],
  too_large: [2, 413],
  out_of_range: [2, 400],
  gone: [3, 410],
  log_closed: [5, 409],
  fenced: [5, 403],
  lease_held: [5, 409],
  sequence_gap: [5, 409],
  invalid_transition: [5, 409],
  run_ended: [5, 409],
  migration_required: [1, 503],
  schema_newer: [1, 503],
  corrupt: [4, 500],
  busy: [1, 503],
  unavailable: [1, 503],
  agent_missing: [8, 424],
  agent_failed: [8, 502],
  folder_missing: [8, 424],
  native_unavailable: [8, 409],
  too_many_runs: [5, 429],
  untrusted: [5, 403],
  cancelled: [130, 499],
  interrupted: [130, 499],
  session_disabled: [2, 400],
  unauthorized: [5, 401],
  forbidden: [5, 403],
  handle_taken: [5, 409],
  rate_limited: [5, 429],
  degraded: [1, 503],
};

test("the table of error codes has exactly the expected rows", () => {
  expect(Object.keys(ERROR_KINDS).sort()).toEqual(Object.keys(EXPECTED).sort());
});

test.each(Object.entries(EXPECTED))("the code %s keeps its exit code and HTTP status", (code, expected) => {
  const error = new ContinuoError(code as ErrorCode, "it failed");
  expect([exitCodeOf(error), httpStatusOf(error)]).toEqual(expected);
});

test.each([
  "session_disabled",
  "unauthorized",
  "forbidden",
  "handle_taken",
  "rate_limited",
  "degraded",
] as const)("the code %s of the server has a hint of its own, which another hint replaces", (code) => {
  expect(new ContinuoError(code, "it failed").hint).toMatch(/^[A-Z`].*\.$/u);
  expect(new ContinuoError(code, "it failed", { hint: "Do this." }).hint).toBe("Do this.");
});
