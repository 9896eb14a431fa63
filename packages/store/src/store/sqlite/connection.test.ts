import { constants, DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { Statement, Work } from "../engine/index.ts";
import { Connection } from "./connection.ts";

function openConnection(): Connection {
  const connection = new Connection(new DatabaseSync(":memory:"));
  connection.exec("create table t (a integer, b text)");
  connection.exec("insert into t values (1, 'one'), (2, 'two'), (3, 'three')");
  return connection;
}

function* asking(...statements: readonly Statement[]): Work<readonly unknown[]> {
  const answers: unknown[] = [];
  for (const statement of statements) answers.push(yield statement);
  return answers;
}

const ALL = "select a, b from t order by a";

test("rows are objects, arrays or none, as the statement says, also of one text", () => {
  const connection = openConnection();
  const [objects, arrays, none, again] = connection.run(
    asking(
      { sql: ALL, parameters: [] },
      { sql: ALL, parameters: [], shape: "arrays" },
      { sql: ALL, parameters: [], shape: "none" },
      { sql: ALL, parameters: [] },
    ),
  );
  expect(objects).toEqual([
    { a: 1, b: "one" },
    { a: 2, b: "two" },
    { a: 3, b: "three" },
  ]);
  expect([arrays, none, again]).toEqual([
    [
      [1, "one"],
      [2, "two"],
      [3, "three"],
    ],
    [],
    objects,
  ]);
});

test("a statement with a limit is planned once, however often the limit is given", () => {
  const connection = openConnection();
  let planned = 0;
  connection.database.setAuthorizer(() => {
    planned++;
    return constants.SQLITE_OK;
  });
  const limited = (limit: number): Statement => ({
    sql: "select a from t order by a limit ?",
    parameters: [limit],
    shape: "arrays",
  });
  expect(connection.run(asking(limited(2)))).toEqual([[[1], [2]]]);
  const once = planned;
  expect(once).toBeGreaterThan(0);
  expect(connection.run(asking(limited(1), limited(3)))).toEqual([[[1]], [[1], [2], [3]]]);
  expect(planned).toBe(once);
});

test("no row is read after the last one that is needed", () => {
  const connection = openConnection();
  const last = (row: readonly [number]): boolean => row[0] === 2;
  const statement: Statement = { sql: ALL, parameters: [], shape: "arrays", last };
  expect(connection.run(asking(statement))).toEqual([
    [
      [1, "one"],
      [2, "two"],
    ],
  ]);
  expect(connection.run(asking({ ...statement, last: () => false }))).toEqual([
    [
      [1, "one"],
      [2, "two"],
      [3, "three"],
    ],
  ]);
});

test("statements take their parameters, whatever their shape is", () => {
  const connection = openConnection();
  const sql = "insert into t values (?, ?) returning a";
  const answers = connection.run(
    asking(
      { sql, parameters: [4, "four"] },
      { sql, parameters: [5, null], shape: "none" },
      { sql: "select b from t where a = ?", parameters: [4], shape: "arrays", last: () => true },
      { sql: "select count(*) as n from t where b is null", parameters: [] },
    ),
  );
  expect(answers).toEqual([[{ a: 4 }], [], [["four"]], [{ n: 1 }]]);
});

test("only statements that may change something are counted", () => {
  const connection = openConnection();
  connection.run(asking({ sql: ALL, parameters: [] }));
  expect(connection.writes).toBe(0);
  connection.run(asking({ sql: "delete from t where a = 9", parameters: [], shape: "none" }));
  connection.run(asking({ sql: "update t set a = a", parameters: [] }));
  expect(connection.writes).toBe(2);
});

test("a rule may catch the error of a statement and continue; one that does not catch it fails", () => {
  const connection = openConnection();
  const bad: Statement = { sql: "select * from missing", parameters: [] };
  function* careful(): Work<unknown> {
    try {
      yield bad;
    } catch (error) {
      const [row] = yield { sql: "select count(*) as n from t", parameters: [] };
      return [(error as Error).message, row];
    }
    return "no error";
  }
  expect(connection.run(careful())).toEqual(["no such table: missing", { n: 3 }]);
  expect(() => connection.run(asking(bad))).toThrow("no such table: missing");
});

test("a value is the first one of the first row, and undefined where there is none", () => {
  const connection = openConnection();
  expect(connection.value("select max(a), min(a) from t")).toBe(3);
  expect(connection.value("select a from t where a > 9")).toBeUndefined();
});

test("however many texts there are, each statement gives its own rows", () => {
  const connection = openConnection();
  const numbers = Array.from({ length: 1_100 }, (_, n) => n);
  const statements = [...numbers, 0].map((n) => ({ sql: `select ${n} as n`, parameters: [] }));
  expect(connection.run(asking(...statements))).toEqual([...numbers, 0].map((n) => [{ n }]));
});

test("a closed connection takes no statements", () => {
  const connection = openConnection();
  connection.close();
  expect(() => connection.value("select 1")).toThrow("not open");
});
