import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { migrate, SCHEMA_VERSION } from "../../packages/store/src/store/schema/index.ts";
import { createKysely } from "../../packages/store/src/store/sqlite/index.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { newPostgresDatabase } from "../sizes/shared-programs.ts";
import { startChild } from "./harness/lines.ts";
import { answersOf, insertsOf, type Sample, sampleStore, writeOlderStore } from "./harness/older-store.ts";

const MIGRATOR = join(import.meta.dirname, "processes/migrator.ts");

const folder = scratchFolder("migration");

const VERSIONS = [1, 2, 3, 4, 5, 6] as const;
let sample: Sample;
beforeAll(async () => {
  sample = await sampleStore();
});

test("these tests migrate from every earlier version of the schema", () => {
  expect(VERSIONS.length).toBe(SCHEMA_VERSION - 1);
});

let made = 0;
const newPath = (): string => join(folder, `${made++}.db`);

/** Makes a database as a version with fewer migrations left it. */
async function olderDatabase(): Promise<string> {
  const path = newPath();
  const database = new DatabaseSync(path);
  await migrate(createKysely<never>(database), 1);
  database.exec(`insert into logs (workspace_id, log_id, media_type, created_at, changed_at, changed_mark,
    head_sequence, head_hash) values ('default', 'old', 'application/x-continuo-events', 1, 1, 1, 0, '${"0".repeat(64)}')`);
  database.close();
  return path;
}

/** The features of the newest version work on a migrated store. */
async function usable(store: Store): Promise<void> {
  const { secret } = await store.createToken({ scopes: ["admin"] });
  expect((await store.authenticate(secret))?.scopes).toEqual(["admin"]);
  const cursor = await store.commitCursor({ logId: "l", name: "ada", sequence: 3, data: { sdk: "x" } });
  expect([cursor.sequence, cursor.data]).toEqual([3, { sdk: "x" }]);
  await store.append("l", [{ type: "seen", data: { mediaTimeMs: 5 } }]);
  expect((await store.readMedia("l", { fromMs: 0, toMs: 9 })).events.length).toBe(1);
  expect((await store.commitCursor({ logId: "later", name: "ada" })).sequence).toBe(0);
}

describe("sqlite", () => {
  test("a new database is prepared, and only its owner can read it", async () => {
    const path = join(folder, "deep", "er", "store.db");
    await using store = await openStore(`sqlite:${path}`);
    expect((await store.info()).schemaVersion).toBe(SCHEMA_VERSION);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("an older schema is refused as migration_required", async () => {
    const url = `sqlite:${await olderDatabase()}`;
    await expect(openStore(url)).rejects.toMatchObject({
      code: "migration_required",
      details: { schemaVersion: 1, wantedVersion: SCHEMA_VERSION },
    });
  });

  test("with { migrate: true } an older database is copied and upgraded, and the copy is reported", async () => {
    const path = await olderDatabase();
    const told: unknown[] = [];
    await using store = await openStore(`sqlite:${path}`, {
      migrate: true,
      onMigrated: (what) => told.push(what),
    });
    const copy = `${path}.before-migration-1`;
    expect(told).toEqual([{ from: 1, to: SCHEMA_VERSION, copy }]);
    expect((await store.getLog("old"))?.latestSequence).toBe(0);
    await store.createSession({ sessionId: "s" });
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    await expect(openStore(`sqlite:${copy}`)).rejects.toMatchObject({ code: "migration_required" });
  });

  test("a migration that is killed while it copies leaves no incomplete copy", async () => {
    const path = await olderDatabase();
    const database = new DatabaseSync(path);
    database.exec("create table large (bytes); insert into large values (zeroblob(60000000))");
    database.close();
    const copies = (): string[] =>
      readdirSync(folder).filter((name) => name.startsWith(`${basename(path)}.`));
    const child = startChild([MIGRATOR, `sqlite:${path}`]);
    await expect.poll(() => copies(), { interval: 1 }).not.toEqual([]);
    child.process.kill("SIGKILL");
    expect(await child.ended()).toBe(null);
    expect(copies().filter((name) => name.endsWith(".before-migration-1"))).toEqual([]);
    await (await openStore(`sqlite:${path}`, { migrate: true })).close();
    expect(copies()).toEqual([`${basename(path)}.before-migration-1`]);
    const copy = new DatabaseSync(`${path}.before-migration-1`);
    expect(copy.prepare("select length(bytes) as n from large").get()).toEqual({ n: 60_000_000 });
    copy.close();
  });

  for (const version of VERSIONS) {
    test(`a database of version ${version} has the same content after its migration`, async () => {
      const path = newPath();
      await writeOlderStore(path, sample, version);
      await using store = await openStore(`sqlite:${path}`, { migrate: true });
      expect(await answersOf(store, version)).toEqual(sample.answers[version]);
      await usable(store);
    });
  }

  test("a newer schema is refused as schema_newer, also with { migrate: true }", async () => {
    const path = newPath();
    await (await openStore(`sqlite:${path}`)).close();
    const database = new DatabaseSync(path);
    database.exec("insert into continuo_migrations (name, timestamp) values ('999-future', 'x')");
    database.close();
    for (const options of [{}, { migrate: true }]) {
      await expect(openStore(`sqlite:${path}`, options)).rejects.toMatchObject({ code: "schema_newer" });
    }
  });

  test("a migration that fails leaves the database as it was", async () => {
    const path = await olderDatabase();
    const database = new DatabaseSync(path);
    // A table with the name of the migration's second one exists already, so the migration must not keep its first
    // table.
    database.exec("create table runs (x)");
    database.close();
    await expect(openStore(`sqlite:${path}`, { migrate: true })).rejects.toMatchObject({
      code: "unavailable",
    });
    const after = new DatabaseSync(path);
    expect(after.prepare("select name from sqlite_master where name = 'sessions'").all()).toEqual([]);
    expect(after.prepare("select count(*) as n from continuo_migrations").get()).toEqual({ n: 1 });
    after.close();
  });

  test("processes that open a new database at the same time create it once", async () => {
    const url = `sqlite:${newPath()}`;
    const stores = await Promise.all(Array.from({ length: 4 }, () => openStore(url)));
    await Promise.all(stores.map((store, n) => store.createLog({ logId: `l${n}` })));
    expect((await stores[0]?.listLogs())?.items.length).toBe(4);
    for (const store of stores) await store.close();
  });
});

describe("postgres", () => {
  let url: string;
  beforeAll(async () => {
    url = await newPostgresDatabase();
  });
  const pools: pg.Pool[] = [];
  afterEach(async () => {
    for (const pool of pools.splice(0)) await pool.end();
  });

  for (const version of VERSIONS) {
    test(`a database of version ${version} has the same content after its migration`, async () => {
      const own = await newPostgresDatabase();
      const pool = new pg.Pool({ connectionString: own });
      pools.push(pool);
      await migrate(new Kysely<never>({ dialect: new PostgresDialect({ pool }) }), version);
      for (const { table, row } of insertsOf(sample, version)) {
        const names = Object.keys(row);
        const values = names.map((_, index) => `$${index + 1}`).join(", ");
        await pool.query(
          `insert into ${table} (${names.join(", ")}) overriding system value values (${values})`,
          Object.values(row).map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value)),
        );
      }
      for (const [table, key] of [
        ["logs", "log_key"],
        ["deleted_logs", "deletion_key"],
        ...(version === 1 ? [] : [["runs", "run_key"]]),
      ]) {
        await pool.query(`select setval(pg_get_serial_sequence('${table}', '${key}'), 1000)`);
      }
      await using store = await openStore(own, { migrate: true });
      expect(await answersOf(store, version)).toEqual(sample.answers[version]);
      await usable(store);
    });
  }

  test("an empty or older database is refused as migration_required, and is upgraded on request", async () => {
    await expect(openStore(url)).rejects.toMatchObject({ code: "migration_required" });
    const pool = new pg.Pool({ connectionString: url });
    pools.push(pool);
    const db = new Kysely<never>({ dialect: new PostgresDialect({ pool }) });
    await migrate(db, 1);
    await expect(openStore(url)).rejects.toMatchObject({
      code: "migration_required",
      details: { schemaVersion: 1 },
    });
    const told: unknown[] = [];
    const stores = await Promise.all(
      [1, 2, 3, 4, 5, 6].map(() => openStore(url, { migrate: true, onMigrated: (what) => told.push(what) })),
    );
    expect(told.length).toBeGreaterThan(0);
    for (const store of stores) await store.close();
    await using store = await openStore(url);
    expect((await store.info()).schemaVersion).toBe(SCHEMA_VERSION);
    await pool.query("insert into continuo_migrations (name, timestamp) values ('999-future', 'x')");
    await expect(openStore(url)).rejects.toMatchObject({ code: "schema_newer" });
  });

  test("a server that does not answer, or refuses, is unavailable, and the error has no password", async () => {
    const secret = "postgres://somebody:secret@127.0.0.1:1/nothing";
    const error = await openStore(secret).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "unavailable" });
    expect(String((error as Error).message)).not.toContain("secret");
    await expect(openStore(url.replace(/\w+$/u, "nothing"))).rejects.toMatchObject({
      code: "unavailable",
      details: { reason: "3D000" },
    });
  });
});

describe("openStore", () => {
  test("a text that does not name a store is invalid, and the error has no password", async () => {
    for (const url of ["", "store.db", "mysql://me:secret@host/db", "memory:x"]) {
      const error = await openStore(url).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: "invalid" });
      expect(JSON.stringify(error) + (error as Error).message).not.toContain("secret");
    }
  });
});
