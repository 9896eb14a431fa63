import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LIMITS, type Scope, sql, type Transaction, type Work } from "../engine/index.ts";
import { Connection } from "./connection.ts";
import { SQLITE } from "./dialect.ts";
import { GroupCommit } from "./group-commit.ts";

// A group ends early on a slow machine, so the clock stands still in these tests.
beforeEach(() => {
  vi.spyOn(performance, "now").mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Opens a group on a database in memory, and records every command that the group itself sends to the database. */
function openGroup(assertInPlace: () => void = () => undefined) {
  const connection = new Connection(new DatabaseSync(":memory:"));
  connection.database.exec("create table numbers (n integer)");
  const said: string[] = [];
  const exec = connection.exec.bind(connection);
  const execute = vi.spyOn(connection, "exec").mockImplementation((text) => {
    said.push(text);
    exec(text);
  });
  const scope = { dialect: SQLITE, lineages: new Map([[1, []]]) } as unknown as Scope;
  const told: number[][] = [];
  const group = new GroupCommit(connection, scope, {
    path: "test.db",
    assertInPlace,
    onCommit: (changed) => void told.push([...changed]),
  });
  const stored = () =>
    connection.database
      .prepare("select n from numbers")
      .all()
      .map(({ n }) => n);
  return { group, scope, said, told, stored, execute };
}

function insert(n: number): (tx: Transaction) => Work<number> {
  return function* (tx) {
    yield* sql(tx, "insert into numbers (n) values (?)", n);
    tx.changed.add(n);
    return n;
  };
}

function refuse(when: "before" | "after", n: number): (tx: Transaction) => Work<number> {
  return function* (tx) {
    if (when === "after") yield* insert(n)(tx);
    else yield* sql(tx, "select 1");
    tx.changed.add(n);
    throw new Error(`refused ${n}`);
  };
}

async function outcomesOf(writes: readonly Promise<number>[]): Promise<readonly unknown[]> {
  const settled = await Promise.allSettled(writes);
  return settled.map((one) => (one.status === "fulfilled" ? one.value : (one.reason as Error).message));
}

const TRANSACTION = ["begin immediate", "commit"];

test("writes that are asked for at the same time share one transaction, in their order", async () => {
  const { group, said, told, stored } = openGroup();
  expect(await outcomesOf([1, 2, 3].map((n) => group.write(insert(n))))).toEqual([1, 2, 3]);
  expect([said, told, stored()]).toEqual([TRANSACTION, [[1, 2, 3]], [1, 2, 3]]);
});

test("a transaction that changed nothing wakes no reader", async () => {
  const { group, said, told } = openGroup();
  const look = (tx: Transaction) => sql<unknown>(tx, "select 7 as n");
  expect(await group.write(look)).toEqual([{ n: 7 }]);
  expect([said, told]).toEqual([TRANSACTION, []]);
});

test("one that is refused before it wrote anything leaves nothing to take back", async () => {
  const { group, said, told, stored, scope } = openGroup();
  const writes = [group.write(insert(1)), group.write(refuse("before", 2)), group.write(insert(3))];
  expect(await outcomesOf(writes)).toEqual([1, "refused 2", 3]);
  expect([said, told, stored()]).toEqual([TRANSACTION, [[1, 3]], [1, 3]]);
  expect(scope.lineages.size).toBe(0);
});

test("when one is refused after it wrote, all are run again, each in a savepoint, and only it is taken back", async () => {
  const { group, said, told, stored, scope } = openGroup();
  const writes = [group.write(insert(1)), group.write(refuse("after", 2)), group.write(insert(3))];
  expect(await outcomesOf(writes)).toEqual([1, "refused 2", 3]);
  expect([told, stored()]).toEqual([[[1, 3]], [1, 3]]);
  expect(scope.lineages.size).toBe(0);
  const one = ["savepoint one", "release one"];
  const takenBack = ["savepoint one", "rollback to one", "release one"];
  // The third was not run the first time: the group had ended with the second.
  expect(said).toEqual(["begin immediate", "rollback", "begin immediate", ...one, ...takenBack, "commit"]);
  said.length = 0;
  expect(await group.write(insert(4))).toBe(4);
  expect(said).toEqual(TRANSACTION);
});

test("a transaction has at most as many writes as the limit", async () => {
  const { group, said, told } = openGroup();
  await Promise.all(Array.from({ length: LIMITS.groupCommit + 1 }, (_, n) => group.write(insert(n))));
  expect(said).toEqual([...TRANSACTION, ...TRANSACTION]);
  expect(told.map(({ length }) => length)).toEqual([LIMITS.groupCommit, 1]);
});

test("a transaction ends when the event loop has waited for it, and has one write at least", async () => {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (now += 100));
  const { group, said } = openGroup();
  await Promise.all([group.write(insert(1)), group.write(insert(2))]);
  expect(said).toEqual([...TRANSACTION, ...TRANSACTION]);
});

test("a write whose signal was aborted is not run, and fails with its reason", async () => {
  const { group, stored } = openGroup();
  const aborting = new AbortController();
  const writes = [
    group.write(insert(1), aborting.signal),
    group.write(insert(2), new AbortController().signal),
  ];
  aborting.abort(new Error("no longer needed"));
  expect(await outcomesOf(writes)).toEqual(["no longer needed", 2]);
  expect(stored()).toEqual([2]);
});

test("what cannot be part of a transaction runs between two of them, and may fail by itself", async () => {
  const { group, said } = openGroup();
  const calls: Promise<unknown>[] = [group.write(insert(1)), group.between(() => said.push("between"))];
  await Promise.all(calls);
  expect(said).toEqual(["between", ...TRANSACTION]);
  const full = group.between(() => {
    throw Object.assign(new Error("no space"), { code: "ENOSPC" });
  });
  await expect(full).rejects.toMatchObject({ code: "unavailable", details: { path: "test.db" } });
  expect(await group.between(() => "later")).toBe("later");
});

test("everything that was asked for is done when the group is idle", async () => {
  const { group, stored } = openGroup();
  await group.idle();
  const writes = [1, 2].map((n) => group.write(insert(n)));
  await group.idle();
  expect(stored()).toEqual([1, 2]);
  await Promise.all(writes);
});

const LOCKED = Object.assign(new Error("database is locked"), { errcode: 5 });

test("a database that another process has locked is waited for", async () => {
  const { group, execute, stored } = openGroup();
  for (let tries = 0; tries < 3; tries++) {
    execute.mockImplementationOnce(() => {
      throw LOCKED;
    });
  }
  expect(await group.write(insert(1))).toBe(1);
  expect([execute.mock.calls.length, stored()]).toEqual([5, [1]]);
});

test("a lock that stays is busy for all who wait, after a bounded time", async () => {
  const { group, execute, stored } = openGroup();
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (now += LIMITS.lockWaitMs / 2));
  execute.mockImplementation(() => {
    throw LOCKED;
  });
  const writes = [1, 2].map((n) => group.write(insert(n)));
  const locked = "the database test.db is locked by another process";
  expect(await outcomesOf(writes)).toEqual([locked, locked]);
  expect([execute.mock.calls.length, stored()]).toEqual([3, []]);
});

test("a transaction that cannot begin for another reason fails at once, and the next one begins", async () => {
  const { group, execute } = openGroup();
  execute.mockImplementationOnce(() => {
    throw Object.assign(new Error("disk I/O error"), { errcode: 10 });
  });
  expect(await outcomesOf([1, 2].map((n) => group.write(insert(n))))).toEqual([
    "the database test.db cannot be read or written",
    "the database test.db cannot be read or written",
  ]);
  expect(await group.write(insert(3))).toBe(3);
});

test.each([
  ["before its transaction", 0, []],
  ["during its transaction", 1, TRANSACTION],
])("a write whose file is gone %s is not acknowledged", async (_when, checks, expected) => {
  let count = 0;
  const { group, said, told } = openGroup(() => {
    if (count++ >= checks) throw new Error("the file is gone");
  });
  expect(await outcomesOf([1, 2].map((n) => group.write(insert(n))))).toEqual([
    "the file is gone",
    "the file is gone",
  ]);
  expect([said, told]).toEqual([expected, []]);
});
