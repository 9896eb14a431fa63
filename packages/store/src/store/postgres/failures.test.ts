import { ContinuoError } from "@continuo/core/model";
import { expect, test } from "vitest";
import { isRace, isUniqueViolation, translated, translating } from "./failures.ts";

function failing(message: string, code?: string): Error {
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}

const RETRY =
  "Try again when it answers. If events were being appended, append them again with the same ids.";
const LOST = ["unavailable", "does not answer", RETRY];
const REPORT = "Look in the log of the server; if it has no entry, report this error with its reason.";
const UNKNOWN = ["unavailable", "reports an error", REPORT];
const USER = "Check user and password in the URL.";
const FILES = "Check the disk of the server.";
const MIGRATE = "Run `continuo store migrate --store URL` with the URL of this database.";

/**
 * The keys are SQLSTATE codes or codes of the system. The values are the error code of the store, what the database
 * does, and the hint.
 */
const FAILURES: Readonly<Record<string, readonly string[]>> = {
  "08006": LOST,
  "0A000": ["unsupported", "does not support the request", "Use Postgres 15 or newer."],
  "22021": ["invalid", "cannot store a value", "Check the values that were given."],
  "23505": ["conflict", "refuses a row that contradicts another one", "Read again, then try again."],
  "25006": ["unavailable", "is read-only", "Connect to the primary."],
  "25P02": ["unavailable", "ended a transaction", RETRY],
  "28000": ["unavailable", "refuses the user", USER],
  "28001": ["unavailable", "refuses the user", USER],
  "28P01": ["unavailable", "refuses the password", USER],
  "3D000": ["unavailable", "has no such database", "Create it first: createdb NAME."],
  "40001": ["busy", "rolled back a transaction too often", "Try again."],
  "40P01": ["busy", "rolled back a transaction too often", "Try again."],
  "42501": ["unavailable", "denies a permission", "Grant the missing permission to the user."],
  "42601": UNKNOWN,
  "42703": ["migration_required", "lacks a column of Continuo", MIGRATE],
  "42P01": ["migration_required", "lacks a table of Continuo", MIGRATE],
  "53100": ["unavailable", "has no disk space left", "Free some space and try again."],
  "53200": ["unavailable", "lacks memory or another resource", "Try again later."],
  "53300": ["unavailable", "has too many connections", "Raise max_connections, or run fewer servers."],
  "54000": ["too_large", "cannot store so much at once", "Append less at a time."],
  "55006": ["busy", "is in use", "Try again."],
  "55P03": ["busy", "is locked by another session", "Try again."],
  "57014": ["busy", "cancelled a statement that took too long", "Try again, or raise statement_timeout."],
  "57P01": LOST,
  "57P03": LOST,
  "58030": ["unavailable", "cannot read or write its files", FILES],
  EAI_AGAIN: LOST,
  ECONNREFUSED: LOST,
  ECONNRESET: LOST,
  EHOSTUNREACH: LOST,
  ENETUNREACH: LOST,
  ENOTFOUND: LOST,
  // This code of the system has five characters, like a SQLSTATE.
  EPIPE: LOST,
  ETIMEDOUT: LOST,
  DEPTH_ZERO_SELF_SIGNED_CERT: [
    "unavailable",
    "has a certificate that is not trusted here",
    "Add `sslrootcert=FILE` with its authority to the URL, or set NODE_EXTRA_CA_CERTS.",
  ],
  F0000: UNKNOWN,
  XX000: UNKNOWN,
  XX001: ["corrupt", "is damaged", "Restore a backup with `continuo store restore`."],
  XX002: ["corrupt", "has a damaged index", "Run `reindex database`, or restore a backup."],
};

/** The errors for which it does not help to wait. */
const PERMANENT = ["28000", "28001", "28P01", "3D000", "42501", "DEPTH_ZERO_SELF_SIGNED_CERT"];

test.each(Object.entries(FAILURES))(
  "the error %s of Postgres has a code and a hint",
  (reason, [code, says, hint]) => {
    const cause = failing("it failed", reason);
    const error = translated(cause, "postgres://h/d") as ContinuoError;
    expect(error).toBeInstanceOf(ContinuoError);
    expect([error.code, error.message, error.hint]).toEqual([
      code,
      `the database postgres://h/d ${says}`,
      hint,
    ]);
    expect(error.cause).toBe(cause);
    const permanent = PERMANENT.includes(reason) ? { permanent: true } : {};
    expect(error.details).toStrictEqual({ location: "postgres://h/d", reason, ...permanent });
  },
);

test.each([
  "Client has encountered a connection error and is not queryable",
  "Connection terminated unexpectedly",
  "Connection terminated",
  "timeout exceeded when trying to connect",
  "Connection terminated due to connection timeout",
])("the driver's error `%s` says that the database does not answer", (message) => {
  const error = translated(failing(message), "postgres://h/d") as ContinuoError;
  expect([error.code, error.message, error.hint]).toEqual([
    "unavailable",
    "the database postgres://h/d does not answer",
    RETRY,
  ]);
  expect(error.details).toStrictEqual({ location: "postgres://h/d" });
});

test("a database without TLS is unavailable, and the hint names both ways", () => {
  const cause = failing("The server does not support SSL connections");
  const error = translated(cause, "postgres://h/d") as ContinuoError;
  expect([error.code, error.message, error.hint]).toEqual([
    "unavailable",
    "the database postgres://h/d offers no TLS",
    "Add a certificate to the server. Where nobody else can listen, `sslmode=disable` in the URL does without TLS.",
  ]);
});

test.each(["Cannot use a pool after calling end on the pool"])(
  "the driver's error `%s` is unavailable, and is quoted",
  (message) => {
    const error = translated(failing(message), "postgres://h/d") as ContinuoError;
    expect([error.code, error.message, error.hint]).toEqual([
      "unavailable",
      `the database postgres://h/d cannot be reached: ${message}`,
      RETRY,
    ]);
  },
);

test.each([
  new TypeError("x is undefined"),
  new RangeError("too far"),
  new SyntaxError("no JSON"),
  new ReferenceError("no x"),
  failing("the file of a backup", "ERR_INVALID_STATE"),
  new ContinuoError("fenced", "it is fenced"),
  "no error at all",
  null,
])("an error that is not of Postgres stays as it is: %s", (error) => {
  expect(translated(error, "x")).toBe(error);
});

test("a TypeError with the code of a lost connection counts as a lost connection", () => {
  const cause = Object.assign(new TypeError("read"), { code: "ECONNRESET" });
  expect(translated(cause, "x")).toMatchObject({ code: "unavailable" });
});

test.each([
  ["40001", true, false],
  ["40P01", true, false],
  ["23505", false, true],
  ["40002", false, false],
  [undefined, false, false],
])("the error %s is a lost race: %s, a row that is there: %s", (code, race, unique) => {
  expect([isRace(failing("it failed", code)), isUniqueViolation(failing("it failed", code))]).toEqual([
    race,
    unique,
  ]);
});

test.each([null, undefined, "40001", { code: 40001 }])("%j is no lost race", (error) => {
  expect(isRace(error)).toBe(false);
});

test("a call to Postgres returns its value, or fails with the translated error", async () => {
  expect(await translating("x", () => Promise.resolve(7))).toBe(7);
  const failed = translating("x", () => Promise.reject(failing("no", "55P03")));
  await expect(failed).rejects.toMatchObject({
    code: "busy",
    message: "the database x is locked by another session",
  });
});
