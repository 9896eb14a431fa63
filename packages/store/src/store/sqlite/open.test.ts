import { existsSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ContinuoError } from "@continuo/core/model";
import { afterEach, describe, expect, test, vi } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { type Engine, LIMITS, sql } from "../engine/index.ts";
import { migrate, SCHEMA_VERSION } from "../schema/index.ts";
import { createKysely } from "./dialect.ts";
import { type MigrationResult, openSqlite, type SqliteOptions } from "./open.ts";

const folder = scratchFolder("open");
const opened: Engine[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  for (const engine of opened.splice(0)) await engine.close();
});

let made = 0;
const newPath = (): string => join(folder, `${made++}.db`);

async function open(path?: string, options: Partial<SqliteOptions> = {}): Promise<Engine> {
  const engine = await openSqlite(path, { workspaceId: "w", migrate: "refused", ...options });
  opened.push(engine);
  return engine;
}

async function firstValue(engine: Engine, text: string): Promise<unknown> {
  const [row] = await engine.read((scope) => sql(scope, text));
  return Object.values(row ?? {})[0];
}

/** The value 2 of `synchronous` is `full`, and 0 is `off`. */
test.each([
  [{}, [2, -65_536]],
  [{ synchronous: "off" }, [0, -65_536]],
  [{ cacheBytes: 2_048 }, [2, -2]],
  [{ cacheBytes: 2_049 }, [2, -3]],
] as const)("a file opened with %j is synced and cached so", async (options, expected) => {
  const engine = await open(newPath(), options);
  const found = [
    await firstValue(engine, "pragma synchronous"),
    await firstValue(engine, "pragma cache_size"),
  ];
  expect(found).toEqual(expected);
  expect(await firstValue(engine, "pragma journal_mode")).toBe("wal");
  expect(await firstValue(engine, "pragma wal_autocheckpoint")).toBe(4_000);
});

test("an engine says what it is, where it lies and how large it is", async () => {
  const path = newPath();
  const engine = await open(path);
  const sizeBytes = statSync(path).size + statSync(`${path}-wal`).size;
  expect(await engine.describe()).toEqual({
    engine: "sqlite",
    location: path,
    schemaVersion: SCHEMA_VERSION,
    sizeBytes,
  });
  const inMemory = await open();
  const pages = Number(await firstValue(inMemory, "pragma page_count"));
  expect(await inMemory.describe()).toEqual({
    engine: "memory",
    location: "memory",
    schemaVersion: SCHEMA_VERSION,
    sizeBytes: pages * Number(await firstValue(inMemory, "pragma page_size")),
  });
  expect(pages).toBeGreaterThan(10);
});

test("a clock that is given stamps events and is the clock of the database", async () => {
  const engine = await open(undefined, { now: () => 1_234.9 });
  expect(engine.scope.now()).toBe(1_234.9);
  expect(await firstValue(engine, `select ${engine.scope.dialect.nowMs}`)).toBe(1_234);
  const [visible] = await engine.read((scope) => sql(scope, scope.dialect.visibleMark));
  expect(visible).toEqual({ mark: 1, now: 1_234 });
});

test("the clock of the database is the time of day, where none is given", async () => {
  const before = Date.now();
  const engine = await open();
  const now = Number(await firstValue(engine, `select ${engine.scope.dialect.nowMs}`));
  expect(now).toBeGreaterThanOrEqual(before - 1);
  expect(now).toBeLessThanOrEqual(Date.now() + 1);
});

const LOCKED = Object.assign(new Error("database is locked"), { errcode: 5 });

describe("a lock", () => {
  test("that a read meets is waited for", async () => {
    const engine = await open();
    let tries = 0;
    const read = engine.read(function* () {
      if (tries++ < 2) throw LOCKED;
      return yield* sql(engine.scope, "select 7 as n");
    });
    expect(await read).toEqual([{ n: 7 }]);
    expect(tries).toBe(3);
  });

  test("that stays makes a read busy after a bounded time", async () => {
    const engine = await open();
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    let tries = 0;
    const read = engine.read(function* () {
      yield* sql(engine.scope, "select 1");
      tries++;
      now += LIMITS.lockWaitMs * 0.4;
      throw LOCKED;
    });
    await expect(read).rejects.toMatchObject({ code: "busy", details: { path: "memory" } });
    expect(tries).toBe(3);
  });

  test("of another kind than a lock is no reason to wait", async () => {
    const engine = await open();
    const read = engine.read((scope) => sql(scope, "select * from missing"));
    await expect(read).rejects.toMatchObject({
      code: "unavailable",
      message: "the database memory reports an error",
    });
  });

  test("on a database that is opened is waited for, or is busy after a bounded time", async () => {
    const path = newPath();
    writeFileSync(path, "");
    const other = new DatabaseSync(path);
    other.exec("begin exclusive");
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += LIMITS.lockWaitMs / 2));
    await expect(open(path)).rejects.toMatchObject({ code: "busy", details: { path } });
    clock.mockRestore();
    const opening = open(path);
    await new Promise((resolve) => setTimeout(resolve, 10));
    other.exec("rollback");
    other.close();
    expect((await (await opening).describe()).sizeBytes).toBeGreaterThan(0);
  });
});

test("commits of others are looked for only while a log is watched", async () => {
  const engine = await open(newPath());
  vi.useFakeTimers();
  const before = vi.getTimerCount();
  const watchers = [engine.changes.watch(1), engine.changes.watch(2)];
  expect(vi.getTimerCount()).toBe(before + 1);
  for (const watcher of watchers) watcher.close();
  expect(vi.getTimerCount()).toBe(before);
});

test("commits of others wake those who watch, and commits of this engine do so without a look", async () => {
  const path = newPath();
  const [engine, other] = [await open(path), await open(path)];
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const watcher = engine.changes.watch(1);
  const heard: string[] = [];
  const hear = (): void => void watcher.changed().then(() => heard.push("changed"));
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  hear();
  vi.advanceTimersByTime(LIMITS.sqlitePollMs);
  await settled();
  expect(heard).toEqual([]);
  await other.write((tx) => sql(tx, "update counters set value = value + 1"));
  vi.advanceTimersByTime(LIMITS.sqlitePollMs);
  await settled();
  expect(heard).toEqual(["changed"]);
  hear();
  await engine.write(function* (tx) {
    yield* sql(tx, "update counters set value = value + 1");
    tx.changed.add(1);
  });
  await settled();
  expect(heard).toEqual(["changed", "changed"]);
  hear();
  vi.advanceTimersByTime(LIMITS.sqlitePollMs);
  await settled();
  expect(heard).toEqual(["changed", "changed"]);
  watcher.close();
});

describe("a file that is cut off", () => {
  const DAMAGED = expect.stringContaining("restore a backup");

  async function errorOf(path: string): Promise<ContinuoError> {
    return (await open(path).catch((error: unknown) => error)) as ContinuoError;
  }

  function fileWith(pages: number, pageSize: number, sizeBytes: number, magic = "SQLite format 3\0"): string {
    const path = newPath();
    const header = Buffer.alloc(Math.max(100, sizeBytes));
    header.write(magic, "latin1");
    header.writeUInt16BE(pageSize, 16);
    header.writeUInt32BE(pages, 28);
    writeFileSync(path, header.subarray(0, sizeBytes));
    return path;
  }

  test.each([
    [3, 4_096, 12_287, 12_288],
    [3, 4_096, 100, 12_288],
    [3, 4_096, 99, 100],
    // The header stores a page size of 65,536 as 1, because it has only 16 bits for it.
    [2, 1, 131_071, 131_072],
  ])("with %d pages of %d and %d bytes should have %d", async (pages, pageSize, sizeBytes, expectedBytes) => {
    const path = fileWith(pages, pageSize, sizeBytes);
    const { code, message, hint, details } = await errorOf(path);
    expect({ code, message, hint, details }).toEqual({
      code: "corrupt",
      message: `the database ${path} is cut off: ${sizeBytes} of ${expectedBytes} bytes`,
      hint: DAMAGED,
      details: { path, sizeBytes, expectedBytes },
    });
  });

  test("is not reported for a file that has all its bytes, or of what is no database", async () => {
    for (const path of [fileWith(3, 4_096, 12_288), fileWith(3, 4_096, 500, "Another format 3")]) {
      expect((await errorOf(path)).message).not.toContain("cut off");
    }
    const other = fileWith(3, 4_096, 500, "Another format 3");
    const notOne = { code: "corrupt", message: `the database ${other} is not a SQLite database` };
    expect(await errorOf(other)).toMatchObject(notOne);
  });

  test("is not reported while a write-ahead log has the rest, nor for an empty file", async () => {
    const path = newPath();
    await (await open(path)).write((tx) => sql(tx, "update counters set value = 7"));
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    expect(await firstValue(await open(path), "select value from counters")).toBe(7);
    const empty = newPath();
    writeFileSync(empty, "");
    expect(await firstValue(await open(empty), "select value from counters")).toBe(1);
  });
});

describe("a database of an older version", () => {
  async function olderDatabase(version: number, change = ""): Promise<string> {
    const path = newPath();
    const database = new DatabaseSync(path);
    await migrate(createKysely<never>(database), version);
    database.exec(change);
    database.close();
    return path;
  }

  const LOG = `insert into logs (workspace_id, log_id, media_type, created_at, changed_at, changed_mark,
    head_sequence, head_hash) values ('w', 'l', 'm', 1, 1, 1, 0, '')`;

  test.each([1, 2])("%d to which nothing was ever written is made new without a word", async (version) => {
    const path = await olderDatabase(version);
    const told: MigrationResult[] = [];
    const engine = await open(path, { onMigrated: (migrated) => told.push(migrated) });
    expect(await firstValue(engine, "select max(version) from continuo_schema")).toBe(SCHEMA_VERSION);
    expect([told, existsSync(`${path}.before-migration-${version}`)]).toEqual([[], false]);
  });

  test.each([
    [1, "a log", LOG],
    [1, "a deleted log", "insert into deleted_logs values (1, 'w', 'l', 1, 'r', 0, '')"],
    [1, "a blob", "insert into blobs values ('w', 'h', 0, 'm', 1, null, null, null)"],
    [2, "a lease", "insert into leases values ('w', 'l', 1, 'o', 1)"],
    [2, "a claim", "insert into claims values ('w', 'c', 1, 'o', 's', null, 1)"],
    [2, "a cursor", "insert into cursors values (1, 'c', 1, 1)"],
  ])("%d that has %s is refused unless it may be migrated", async (version, _what, change) => {
    const path = await olderDatabase(version, change);
    const { code, message, hint, details } = (await open(path).catch(
      (error: unknown) => error,
    )) as ContinuoError;
    expect({ code, message, hint, details }).toEqual({
      code: "migration_required",
      message: `the database ${path} has the older schema ${version}`,
      hint: "Run `continuo store migrate`, or open it with { migrate: true }.",
      details: { schemaVersion: version, wantedVersion: SCHEMA_VERSION },
    });
    const told: MigrationResult[] = [];
    await open(path, { migrate: "allowed", onMigrated: (migrated) => told.push(migrated) });
    const copy = `${path}.before-migration-${version}`;
    expect(told).toEqual([{ from: version, to: SCHEMA_VERSION, copy }]);
  });

  test("is copied under a name that is free", async () => {
    const path = await olderDatabase(1, LOG);
    const copy = `${path}.before-migration-1`;
    writeFileSync(copy, "kept");
    writeFileSync(`${copy}.2`, "kept too");
    const told: MigrationResult[] = [];
    await open(path, { migrate: "allowed", onMigrated: (migrated) => told.push(migrated) });
    expect(told.map((one) => one.copy)).toEqual([`${copy}.3`]);
    const database = new DatabaseSync(`${copy}.3`);
    expect(database.prepare("select log_id from logs").all()).toEqual([{ log_id: "l" }]);
    database.close();
    expect(statSync(copy).size).toBe(4);
  });
});

describe("a path that is a symbolic link", () => {
  test("is followed to the file, through other links and where the file is not there yet", async () => {
    const file = join(folder, "linked", "store.db");
    const [first, second] = [newPath(), newPath()];
    symlinkSync(join("linked", "store.db"), second);
    symlinkSync(second, first);
    const engine = await open(first);
    expect((await engine.describe()).location).toBe(first);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(existsSync(`${file}-wal`)).toBe(true);
  });

  test("to itself cannot be opened", async () => {
    const path = newPath();
    symlinkSync(path, path);
    await expect(open(path)).rejects.toMatchObject({ code: "unavailable", details: { path } });
  });
});

test("a whole database has nothing wrong with its pages, and gives freed space back", async () => {
  const path = newPath();
  const engine = await open(path);
  expect(await engine.check()).toEqual([]);
  await engine.write((tx) =>
    sql(tx, "insert into claims values ('w', 'c', 1, 'o', 's', ?, 1)", "x".repeat(500_000)),
  );
  await engine.write((tx) => sql(tx, "delete from claims"));
  const before = (await engine.describe()).sizeBytes;
  await engine.vacuum();
  expect((await engine.describe()).sizeBytes).toBeLessThan(before - 400_000);
  expect(statSync(`${path}-wal`).size).toBe(0);
});
