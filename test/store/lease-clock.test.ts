import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { migrate } from "../../packages/store/src/store/schema/index.ts";
import { createStore } from "../../packages/store/src/store/sql-store.ts";
import { createKysely } from "../../packages/store/src/store/sqlite/dialect.ts";
import { openLeaseClock, wallTimeOf } from "../../packages/store/src/store/sqlite/lease-clock.ts";
import { openSqlite } from "../../packages/store/src/store/sqlite/open.ts";
import { scratchFolder } from "../scratch-folder.ts";

const HOUR_MS = 3_600_000;
const BEGIN = Date.parse("2026-01-01T00:00:00Z");

async function newDatabase(): Promise<DatabaseSync> {
  const database = new DatabaseSync(":memory:");
  await migrate(createKysely<never>(database));
  return database;
}

test("the clock of leases begins with the time of day, and does not follow its jumps", async () => {
  let wallMs = BEGIN;
  let sinceMs = 5_000;
  const clock = openLeaseClock(await newDatabase(), {
    wall: () => wallMs,
    sinceStart: () => sinceMs,
    boot: "first",
  });
  expect(clock.now()).toBe(BEGIN);
  for (const jumpMs of [HOUR_MS, 24 * HOUR_MS, -48 * HOUR_MS]) wallMs += jumpMs;
  sinceMs += 10;
  expect(clock.now()).toBe(BEGIN + 10);
  expect(clock.wallTime(clock.now() + 30_000)).toBe(wallMs + 30_000);
});

test("all processes between two restarts of the machine have the same clock, whatever their time of day is", async () => {
  const database = await newDatabase();
  const options = { sinceStart: () => 5_000, boot: "first" };
  const one = openLeaseClock(database, { ...options, wall: () => BEGIN });
  const other = openLeaseClock(database, { ...options, wall: () => BEGIN + HOUR_MS });
  expect(other.now()).toBe(one.now());
});

test("after a restart of the machine every lease is over, even if its clock began in 1970", async () => {
  const database = await newDatabase();
  openLeaseClock(database, { wall: () => BEGIN, sinceStart: () => 5_000, boot: "first" });
  const insert = database.prepare("insert into leases values ('w', ?, ?, 'x', ?)");
  insert.run("held", 3, BEGIN + 10_000);
  insert.run("given back", 7, -BEGIN);
  insert.run("long", 9, BEGIN + 3_650 * 24 * HOUR_MS);
  const clock = openLeaseClock(database, { wall: () => 60_000, sinceStart: () => 1_000, boot: "second" });
  const rows = database.prepare("select name, token, expires_at from leases order by token").all();
  expect([clock.now(), rows.map(({ name, token, expires_at }) => [name, token, expires_at])]).toEqual([
    60_000,
    [
      ["held", 3, 60_000],
      ["given back", 7, -BEGIN],
      ["long", 9, 60_000],
    ],
  ]);
  expect(
    database.prepare("select count(*) as n from counters where name like 'lease clock/%'").get(),
  ).toEqual({
    n: 1,
  });
});

test("on a system that does not report its start, leases follow the time of day", async () => {
  let wallMs = BEGIN;
  const clock = openLeaseClock(await newDatabase(), { wall: () => wallMs, sinceStart: () => 0, boot: null });
  wallMs += HOUR_MS;
  expect([clock.now(), clock.wallTime(BEGIN)]).toEqual([wallMs, BEGIN]);
});

test("small differences between two clocks have no effect", () => {
  let leadMs = 0;
  const wallTime = wallTimeOf(
    () => 1_000 + leadMs,
    () => 1_000,
  );
  const seen = [3, -40, 60, 80, 0].map((ms) => {
    leadMs = ms;
    return wallTime(5_000) - 5_000;
  });
  expect(seen).toEqual([0, 0, 60, 60, 0]);
});

test("a lease outlives every jump of the time of day, and ends when its own time is over", async () => {
  let wallMs = BEGIN;
  let leaseMs = BEGIN;
  const engine = await openSqlite(undefined, {
    workspaceId: "w",
    migrate: "refused",
    now: () => wallMs,
    leaseNow: () => leaseMs,
  });
  await using store = createStore(engine);
  const { token } = await store.acquireLease("work", { owner: "a", ttlMs: 10_000 });
  for (const jumpMs of [HOUR_MS, 24 * HOUR_MS, -48 * HOUR_MS]) {
    wallMs += jumpMs;
    expect(await store.getLease("work")).toEqual({
      name: "work",
      token,
      owner: "a",
      expiresAt: new Date(wallMs + 10_000).toISOString(),
    });
    await expect(store.acquireLease("work", { owner: "b" })).rejects.toMatchObject({
      code: "lease_held",
      details: { leftMs: 10_000 },
    });
  }
  leaseMs += 10_000;
  expect(await store.getLease("work")).toBeNull();
  expect((await store.listLeases({ state: "expired" })).items.map(({ name }) => name)).toEqual(["work"]);
});

test("two stores on one file agree about each other's leases", async () => {
  const folder = scratchFolder("lease-clock");
  const path = join(folder, "store.db");
  const open = async () => createStore(await openSqlite(path, { workspaceId: "w", migrate: "refused" }));
  await using one = await open();
  await using other = await open();
  const lease = await one.acquireLease("work", { owner: "a", ttlMs: 60_000 });
  await expect(other.acquireLease("work", { owner: "b" })).rejects.toMatchObject({ code: "lease_held" });
  const seen = await other.getLease("work");
  expect(Math.abs(Date.parse(seen?.expiresAt ?? "") - Date.parse(lease.expiresAt))).toBeLessThan(1_000);
});
