import { DatabaseSync } from "node:sqlite";
import { ContinuoError } from "@continuo/core/model";
import { expect, test } from "vitest";
import { isBusy, replacedFile, translated, truncated } from "./failures.ts";

function failureOf(run: (database: DatabaseSync) => void): unknown {
  using database = new DatabaseSync(":memory:");
  database.exec("create table t (id integer primary key, x check (x <> 1))");
  try {
    run(database);
  } catch (error) {
    return translated(error, "x.db");
  }
  throw new Error("nothing failed");
}

const VALUES = "Check the values that were given.";
const UNKNOWN = "Try again; if it happens again, report this error with its cause.";
const AGAIN = "Read again, then try again.";
const FOLDER = "Check the path and the permissions of its folder.";
const LOCK = "Try again; if the lock remains, look for a process that hangs.";
const DAMAGED =
  "Copy the file and its -wal to another folder, then restore a backup with `continuo store restore`, or examine the damage with `continuo store verify`.";

type Expected = readonly [code: string, says: string, hint: string];

function expectFailure(error: unknown, [code, says, hint]: Expected): void {
  expect(error).toBeInstanceOf(ContinuoError);
  const failure = error as ContinuoError;
  expect([failure.code, failure.message, failure.hint]).toEqual([code, `the database x.db ${says}`, hint]);
  expect(failure.details).toEqual({ path: "x.db" });
}

test.each<[string, Expected, (database: DatabaseSync) => void]>([
  [
    "a constraint",
    ["conflict", "refuses a row that contradicts another one", AGAIN],
    (database) => database.exec("insert into t (x) values (1)"),
  ],
  [
    "a value that cannot be bound",
    ["invalid", "cannot store a value", VALUES],
    (database) => database.prepare("select ?").get(Symbol("x") as never),
  ],
  [
    "a table that is missing",
    ["unavailable", "reports an error", UNKNOWN],
    (database) => database.exec("select * from missing"),
  ],
  [
    "a value of another type",
    ["unavailable", "reports an error", UNKNOWN],
    (database) => database.exec("insert into t (id) values ('x')"),
  ],
])("an error of SQLite about %s has a code and a hint", (_what, expected, run) => {
  const error = failureOf(run);
  expectFailure(error, expected);
  expect(error).toMatchObject({ cause: expect.any(Error) });
});

const FILE: Expected = ["unavailable", "cannot be opened", FOLDER];
const DISK: Expected = ["unavailable", "cannot be read or written", "Check the disk and its free space."];
const FULL: Expected = ["unavailable", "cannot grow: the disk is full", "Free some space and try again."];
const OTHER: Expected = ["unavailable", "reports an error", UNKNOWN];
const BAD_VALUE: Expected = ["invalid", "cannot store a value", VALUES];
const BUSY: Expected = ["busy", "is locked by another process", LOCK];

/** Result codes of SQLite, extended ones too, and codes of the file system. */
const FAILURES: readonly (readonly [string | number, Expected])[] = [
  [1, OTHER],
  [5, BUSY],
  [5 + 256, BUSY],
  [6, BUSY],
  [8, ["unavailable", "cannot be written", "Check the permissions of the file and its folder."]],
  [10 + 12 * 256, DISK],
  [11, ["corrupt", "is damaged", DAMAGED]],
  [13, FULL],
  [14, FILE],
  [18, ["too_large", "cannot store a value of this size", "Keep large data as a blob."]],
  [19 + 5 * 256, ["conflict", "refuses a row that contradicts another one", AGAIN]],
  [25, BAD_VALUE],
  [26, ["corrupt", "is not a SQLite database", DAMAGED]],
  ["ENOSPC", FULL],
  ["EDQUOT", FULL],
  ["EIO", DISK],
  ["EFBIG", DISK],
  ["EMFILE", DISK],
  ["EACCES", FILE],
  ["EPERM", FILE],
  ["EEXIST", FILE],
  ["ENOENT", FILE],
  ["ENOTDIR", FILE],
  ["EISDIR", FILE],
  ["EROFS", FILE],
  ["ELOOP", FILE],
  ["ERR_INVALID_ARG_TYPE", BAD_VALUE],
  ["ERR_INVALID_ARG_VALUE", BAD_VALUE],
];

function coded(code: string | number): Error {
  return Object.assign(new Error("it failed"), typeof code === "number" ? { errcode: code } : { code });
}

test.each(FAILURES)("the code %s has a code of the store and a hint", (code, expected) => {
  expectFailure(translated(coded(code), "x.db"), expected);
});

test("an error that was caused by one of SQLite is translated as that one", () => {
  const error = new Error("the migration failed", { cause: new Error("inside", { cause: coded(13) }) });
  expectFailure(translated(error, "x.db"), FULL);
  expect((translated(error, "x.db") as ContinuoError).cause).toBe(error);
});

test.each([
  new TypeError("x is undefined"),
  Object.assign(new Error("reset"), { code: "ECONNRESET" }),
  Object.assign(new Error("a code that only begins like one of a file"), { code: "EACCESS" }),
  Object.assign(new Error("a number"), { code: 13 }),
  new Error("refused", { cause: new ContinuoError("unavailable", "no", { cause: coded(13) }) }),
  { errcode: 13 },
  "ENOSPC",
  null,
])("what is no error of SQLite stays what it is: %s", (error) => {
  expect(translated(error, "x.db")).toBe(error);
});

test("an error of the store stays what it is, unless it hides that the database is locked", () => {
  const ours = new ContinuoError("unavailable", "migration 1 failed", { cause: coded(13) });
  expect(translated(ours, "x.db")).toBe(ours);
  const locked = new ContinuoError("unavailable", "migration 1 failed", { cause: coded(5) });
  expectFailure(translated(locked, "x.db"), BUSY);
});

test.each([
  [5, true],
  [6, true],
  [5 + 2 * 256, true],
  [10, false],
  ["ENOSPC", false],
] as const)("the code %s is worth waiting for: %s", (code, busy) => {
  expect(isBusy(coded(code))).toBe(busy);
});

test("a file that is too short is corrupt, with both sizes", () => {
  const { code, message, hint, details } = truncated("x.db", 7, 100);
  expect([code, message, hint]).toEqual(["corrupt", "the database x.db is cut off: 7 of 100 bytes", DAMAGED]);
  expect(details).toEqual({ path: "x.db", sizeBytes: 7, expectedBytes: 100 });
});

test.each([
  ["x.db", "the database x.db was deleted or replaced while it was open"],
  ["x.db-wal", "the file x.db-wal of the database x.db was deleted or replaced while it was open"],
])("a file that is another one now, %s, is named, and waiting does not help", (file, expected) => {
  const { code, message, hint, details } = replacedFile("x.db", file);
  expect([code, message]).toEqual(["unavailable", expected]);
  expect(hint).toBe(
    "Open the store again to continue with the new file; this store still reads the old one.",
  );
  expect(details).toEqual({ path: "x.db", file, permanent: true });
});
