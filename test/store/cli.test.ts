import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openStore } from "@continuo/store";
import { beforeAll, expect, test } from "vitest";
import { migrate, SCHEMA_VERSION } from "../../packages/store/src/store/schema/index.ts";
import { createKysely } from "../../packages/store/src/store/sqlite/index.ts";
import type { Run } from "../cli/home.ts";
import { runHere } from "../cli/in-process.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { newPostgresDatabase } from "../sizes/shared-programs.ts";

const home = scratchFolder("store-cli");
const database = join(home, "continuo.db");

beforeAll(async () => {
  await using store = await openStore(`sqlite:${database}`);
  await store.createSession({ sessionId: "s" });
  await store.append("s", [{ type: "message_sent", data: { content: "the secret of the flipped byte" } }]);
});

function continuo(...args: readonly string[]): Promise<Run> {
  return runHere({ path: home }, ["store", ...args], { env: { CONTINUO_HOME: home } });
}

const json = async (...args: readonly string[]): Promise<unknown> =>
  JSON.parse((await continuo(...args, "--json")).stdout);

test("info counts what is in the store of CONTINUO_HOME", { timeout: 120_000 }, async () => {
  expect(await json("info")).toMatchObject({ engine: "sqlite", location: database, sessions: 1, events: 2 });
  expect((await continuo("info")).stdout).toMatch(/^events {5}2$/mu);
  expect(await json("info", "--workspace", "other")).toMatchObject({ events: 0, workspaceId: "other" });
});

test("verify ends with 4 and names the event when a byte was flipped", { timeout: 120_000 }, async () => {
  expect(await json("verify")).toEqual({ logs: 1, events: 2, pruned: 0, damaged: [], database: [] });
  const copy = join(home, "flipped.db");
  const bytes = readFileSync(database);
  bytes[bytes.indexOf("flipped byte")] = "F".charCodeAt(0);
  writeFileSync(copy, bytes);
  const { code, stdout } = await continuo("verify", "--store", "sqlite:flipped.db");
  expect(code).toBe(4);
  expect(stdout).toContain("event 2: The payload is not what was stored");
});

test("backup writes a file once, restore reads it into an empty store", { timeout: 120_000 }, async () => {
  expect(await json("backup", "b.db")).toMatchObject({ file: join(home, "b.db"), events: 2 });
  expect((await continuo("backup", "b.db")).code).toBe(5);
  expect(await json("restore", "b.db", "--store", "sqlite:new.db")).toEqual({ logs: 1, events: 2, blobs: 0 });
  expect((await continuo("restore", "b.db", "--store", "sqlite:new.db")).code).toBe(5);
  expect((await continuo("verify", "--store", "sqlite:new.db")).code).toBe(0);
});

test("an older SQLite database is copied and upgraded, and the copy is reported", {
  timeout: 120_000,
}, async () => {
  const path = join(home, "old.db");
  const old = new DatabaseSync(path);
  await migrate(createKysely<never>(old), 1);
  // A database that was never written to does not count as an older one: it is completed without a message.
  old.exec(`insert into logs (workspace_id, log_id, media_type, created_at, changed_at, changed_mark, head_sequence,
    head_hash) values ('default', 'a', 'text/plain', 1, 1, 1, 0, '${"0".repeat(64)}')`);
  old.close();
  const { code, stderr } = await continuo("info", "--store", "sqlite:old.db");
  expect([code, stderr]).toEqual([
    0,
    `The schema of the store was updated from 1 to ${SCHEMA_VERSION}; a copy of the old database is ${path}.before-migration-1.\n`,
  ]);
  expect(existsSync(`${path}.before-migration-1`)).toBe(true);
});

test("Postgres is upgraded only by migrate", { timeout: 120_000 }, async () => {
  const url = await newPostgresDatabase();
  const { code, stderr } = await continuo("info", "--store", url);
  expect(code).toBe(1);
  expect(stderr).toContain("continuo store migrate");
  expect(await json("migrate", "--store", url)).toEqual({
    schemaVersion: SCHEMA_VERSION,
    migrated: { from: 0, to: SCHEMA_VERSION, copy: null },
  });
  expect(await json("info", "--store", url)).toMatchObject({ engine: "postgres", logs: 0 });
  expect(await json("vacuum", "--store", url)).toMatchObject({ expiredLogs: 0, blobs: 0 });
});
