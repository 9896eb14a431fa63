/** A database of the next version. As after a rollback, this version runs on it if the migration permits that. */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Store } from "@continuo/core/model";
import { openStore, verifyStore } from "@continuo/store";
import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { describe, expect, test } from "vitest";
import {
  MIGRATIONS,
  type Migration,
  migrate,
  SCHEMA_VERSION,
} from "../../packages/store/src/store/schema/index.ts";
import { createKysely } from "../../packages/store/src/store/sqlite/index.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { newPostgresDatabase } from "../sizes/shared-programs.ts";

const folder = scratchFolder("next");

const READ_TABLES = [
  "logs",
  "sessions",
  "runs",
  "tokens",
  "deleted_logs",
  "webhook_keys",
  "cursors",
  "leases",
];

/** Adds a column to each listed table, and a new table. */
async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of READ_TABLES) await sql.raw(`alter table ${table} add column later text`).execute(db);
  await sql`create table later (name text primary key)`.execute(db);
}

function nextMigrations(compatibleFrom: number): Readonly<Record<string, Migration>> {
  return { ...MIGRATIONS, "999-later": { up, compatibleFrom } };
}

interface Database {
  readonly url: string;
  readonly migrateTo: (compatibleFrom: number) => Promise<void>;
}

let made = 0;

const ENGINES: Readonly<Record<string, () => Promise<Database>>> = {
  sqlite: () => {
    const path = join(folder, `${made++}.db`);
    return Promise.resolve({
      url: `sqlite:${path}`,
      migrateTo: async (compatibleFrom) => {
        const database = new DatabaseSync(path, { timeout: 10_000 });
        await migrate(createKysely<never>(database), SCHEMA_VERSION + 1, nextMigrations(compatibleFrom));
        database.close();
      },
    });
  },
  postgres: async () => {
    const url = await newPostgresDatabase();
    return {
      url,
      migrateTo: async (compatibleFrom) => {
        const pool = new pg.Pool({ connectionString: url, max: 1 });
        const db = new Kysely<never>({ dialect: new PostgresDialect({ pool }) });
        await migrate(db, SCHEMA_VERSION + 1, nextMigrations(compatibleFrom));
        await pool.end();
      },
    };
  },
};

/** Reads and writes every table that got a column. */
async function use(store: Store, name: string): Promise<void> {
  await store.createSession({ sessionId: `s-${name}`, title: name });
  await store.append(`s-${name}`, [{ type: "custom", data: { name } }]);
  await store.createRun({ sessionId: `s-${name}`, runId: `r-${name}` });
  await store.transitionRun(`r-${name}`, { to: "running", owner: name });
  await store.commitCursor({ logId: `s-${name}`, name: "reader", sequence: 1 });
  await store.acquireLease(`l-${name}`, { owner: name });
  const { secret } = await store.createToken({ scopes: ["admin"], label: name });
  expect((await store.authenticate(secret))?.label).toBe(name);
  await store.createLog({ logId: `gone-${name}` });
  await store.deleteLog(`gone-${name}`);
  expect((await store.listSessions()).items.map(({ title }) => title)).toContain(name);
  expect((await store.listRuns()).items.map(({ runId }) => runId)).toContain(`r-${name}`);
  expect((await store.listLogs()).items.map(({ logId }) => logId)).toContain(`s-${name}`);
  expect((await store.listDeletedLogs()).items.map(({ logId }) => logId)).toContain(`gone-${name}`);
  expect((await store.listTokens()).items.map(({ label }) => label)).toContain(name);
  expect((await store.listCursors()).items).not.toEqual([]);
  expect((await store.listLeases()).items).not.toEqual([]);
  await store.listWebhookKeys();
}

describe.each(Object.entries(ENGINES))("on %s", (_, openDatabase) => {
  test("a store that is open while the next version migrates works as before, and opens again", async () => {
    const { url, migrateTo } = await openDatabase();
    const running = await openStore(url, { migrate: true });
    await use(running, "before");
    await migrateTo(SCHEMA_VERSION);
    await use(running, "after");
    await running.close();
    await using rolledBack = await openStore(url);
    await use(rolledBack, "rolled-back");
    expect((await rolledBack.info()).schemaVersion).toBe(SCHEMA_VERSION + 1);
    for await (const { ok } of verifyStore(rolledBack)) expect(ok).toBe(true);
  });

  test("a schema that is not compatible with this version is refused as schema_newer", async () => {
    const { url, migrateTo } = await openDatabase();
    await (await openStore(url, { migrate: true })).close();
    await migrateTo(SCHEMA_VERSION + 1);
    for (const options of [{}, { migrate: true }])
      await expect(openStore(url, options)).rejects.toMatchObject({
        code: "schema_newer",
        details: { knownVersion: SCHEMA_VERSION, compatibleFrom: SCHEMA_VERSION + 1 },
      });
  });

  test("processes that migrate at the same time apply the migration once", async () => {
    const { url, migrateTo } = await openDatabase();
    await (await openStore(url, { migrate: true })).close();
    const results = await Promise.allSettled([1, 2, 3].map(() => migrateTo(SCHEMA_VERSION)));
    expect(results.map(({ status }) => status)).toContain("fulfilled");
    await (await openStore(url)).close();
  });
});
