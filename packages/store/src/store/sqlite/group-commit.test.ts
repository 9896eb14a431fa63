import { DatabaseSync } from "node:sqlite";
import { expect, test, vi } from "vitest";
import { type Scope, sql, type Transaction, type Work } from "../engine/index.ts";
import { Connection } from "./connection.ts";
import { SQLITE } from "./dialect.ts";
import { GroupCommit } from "./group-commit.ts";

/** SQLite looks at a deferred constraint when it commits: such a commit fails as one on a full disk does. */
const TABLES = `pragma foreign_keys = on;
  create table parents (id integer primary key);
  create table children (parent integer references parents (id) deferrable initially deferred)`;

function openGroup() {
  const connection = new Connection(new DatabaseSync(":memory:"));
  connection.database.exec(TABLES);
  const scope = { dialect: SQLITE, lineages: new Map() } as unknown as Scope;
  const told: number[] = [];
  const group = new GroupCommit(connection, scope, {
    path: "test.db",
    assertInPlace: () => undefined,
    onCommit: (changed) => void told.push(...changed),
  });
  return { group, told, count: () => Number(connection.value("select count(*) from children")) };
}

function insertChild(parent: number): (tx: Transaction) => Work<string> {
  return function* (tx) {
    yield* sql(tx, "insert into children (parent) values (?)", parent);
    tx.changed.add(parent);
    return "stored";
  };
}

function insertParent(id: number): (tx: Transaction) => Work<string> {
  return function* (tx) {
    yield* sql(tx, "insert into parents (id) values (?)", id);
    return "stored";
  };
}

test("a commit that fails is reported to every caller of its group, and wakes no reader", async () => {
  const { group, told, count } = openGroup();
  await group.write(insertParent(1));
  // A group ends when it has blocked the event loop for too long: on a busy machine, that could be after its first
  // caller.
  using _still = vi.spyOn(performance, "now").mockReturnValue(performance.now());
  const outcomes = await Promise.allSettled([1, 2, 1].map((parent) => group.write(insertChild(parent))));
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect([count(), told]).toEqual([0, []]);
});

test("a group continues after a failed commit", async () => {
  const { group, told, count } = openGroup();
  await expect(group.write(insertChild(2))).rejects.toThrow();
  await group.write(insertParent(2));
  expect(await group.write(insertChild(2))).toBe("stored");
  expect([count(), told]).toEqual([1, [2]]);
});
