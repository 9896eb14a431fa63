import { expect, test } from "vitest";
import { ContinuoError } from "../../model/index.ts";
import { translated } from "./failures.ts";

function failing(message: string, code?: string): Error {
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}

/** SQLSTATE or code of the system to the code of the store. */
const CODES: Readonly<Record<string, string>> = {
  "08006": "unavailable",
  "0A000": "unsupported",
  "22021": "invalid",
  "23505": "conflict",
  "25006": "unavailable",
  "25P02": "unavailable",
  "28000": "unavailable",
  "28P01": "unavailable",
  "3D000": "unavailable",
  "40001": "busy",
  "40P01": "busy",
  "42501": "unavailable",
  "42601": "unavailable",
  "42703": "migration_required",
  "42P01": "migration_required",
  "53100": "unavailable",
  "53200": "unavailable",
  "53300": "unavailable",
  "54000": "too_large",
  "55P03": "busy",
  "57014": "busy",
  "57P01": "unavailable",
  "57P03": "unavailable",
  "58030": "unavailable",
  EAI_AGAIN: "unavailable",
  ECONNREFUSED: "unavailable",
  ECONNRESET: "unavailable",
  ENOTFOUND: "unavailable",
  EPIPE: "unavailable",
  F0000: "unavailable",
  XX000: "unavailable",
  XX001: "corrupt",
  XX002: "corrupt",
};

test.each(Object.entries(CODES))("the error %s of Postgres becomes %s, with a hint", (reason, code) => {
  const cause = failing("it failed", reason);
  const error = translated(cause, "postgres://h/d");
  expect(error).toBeInstanceOf(ContinuoError);
  expect(error).toMatchObject({ code, cause, details: { location: "postgres://h/d", reason } });
  expect((error as ContinuoError).hint).toMatch(/\.$/);
  expect((error as ContinuoError).message).toMatch(/^the database postgres:\/\/h\/d .*[^.]$/);
});

test.each([
  "Client has encountered a connection error and is not queryable",
  "Connection terminated unexpectedly",
  "Connection terminated",
  "timeout exceeded when trying to connect",
  "Connection terminated due to connection timeout",
  "The server does not support SSL connections",
  "Cannot use a pool after calling end on the pool",
])("the driver's error `%s` is unavailable, with a hint", (message) => {
  const error = translated(failing(message), "postgres://h/d");
  expect(error).toMatchObject({ code: "unavailable", hint: expect.stringContaining("Try again") });
});

test("a refused user or password is permanent: waiting does not help", () => {
  expect(translated(failing("no", "28P01"), "x")).toMatchObject({ details: { permanent: true } });
  expect(translated(failing("no", "57P01"), "x")).not.toMatchObject({ details: { permanent: true } });
});

test("a mistake in our own code stays what it is", () => {
  const mistake = new TypeError("x is undefined");
  expect(translated(mistake, "x")).toBe(mistake);
  const ours = new ContinuoError("fenced", "it is fenced");
  expect(translated(ours, "x")).toBe(ours);
});
