import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { ContinuoError } from "../../model/index.ts";
import { translated } from "./failures.ts";

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

test.each<[string, string, (database: DatabaseSync) => void]>([
  ["a constraint", "conflict", (database) => database.exec("insert into t (x) values (1)")],
  [
    "a value that cannot be bound",
    "invalid",
    (database) => database.prepare("select ?").get(Symbol("x") as never),
  ],
  ["a table that is missing", "unavailable", (database) => database.exec("select * from missing")],
  ["a value of another type", "unavailable", (database) => database.exec("insert into t (id) values ('x')")],
])("an error of SQLite about %s is %s, with a hint", (_what, code, run) => {
  const error = failureOf(run);
  expect(error).toBeInstanceOf(ContinuoError);
  expect(error).toMatchObject({ code, hint: expect.stringMatching(/\.$/), cause: expect.anything() });
});

test("a mistake in our own code stays what it is", () => {
  const mistake = new TypeError("x is undefined");
  expect(translated(mistake, "x.db")).toBe(mistake);
});
