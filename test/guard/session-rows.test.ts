/** Sessions that are rows of a database: the guard copies them as SQL text, and puts the rows back as they were. */

import { cpSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { SessionInfo } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { findNativeSessions, formatOf } from "@continuo/native";
import { restoreGuardedSession } from "@continuo/native/editing";
import {
  changeGuardSettings,
  findCopy,
  onlyCopies,
  openCopy,
  readLedger,
  runGuard,
  verifyGuard,
} from "@continuo/native/editing/guard";
import { expect, test } from "vitest";
import { copyHome, FORMAT_CASES } from "../fixture-home.ts";
import { scratchFolder } from "../scratch-folder.ts";

const CASES = FORMAT_CASES.filter(([agent]) => agent === "opencode");
const TALK = ["opencode", "text-and-thinking"] as const;
const DAY_MS = 24 * 60 * 60 * 1000;

async function gone(places: Places): Promise<readonly SessionInfo[]> {
  const there = await Array.fromAsync(findNativeSessions({ places }));
  return onlyCopies({ places, metIds: new Set(there.map(({ sessionId }) => sessionId)) });
}

const databaseOf = ({ location }: Pick<SessionInfo, "location">): string => location.replace(/#[^#]*$/u, "");

/** Every row of every table, with its bytes. */
function rowsIn(path: string): Readonly<Record<string, readonly string[]>> {
  using database = new DatabaseSync(path, { readOnly: true });
  const tables = database
    .prepare("select name from sqlite_schema where type = 'table' order by name")
    .all()
    .map(({ name }) => String(name));
  const rowsOf = (name: string): readonly string[] => {
    const statement = database.prepare(`select * from "${name}"`);
    statement.setReadBigInts(true);
    const toText = (_key: string, value: unknown): unknown =>
      typeof value === "bigint" ? `${value}n` : value;
    return statement
      .all()
      .map((row) => JSON.stringify(row, toText))
      .toSorted();
  };
  return Object.fromEntries(tables.map((name) => [name, rowsOf(name)]));
}

async function deleteSession({ sessionId, location }: SessionInfo, places: Places): Promise<void> {
  const found = await (await formatOf("opencode")).recognise(location, places);
  if (found === null) throw new Error(`${sessionId} is not there`);
  const plan = await (await formatOf("opencode")).trashPlan(found, places);
  if (plan.type !== "rows") throw new Error("the session is a file");
  using database = new DatabaseSync(plan.database);
  for (const { name, column, values } of plan.tables) {
    const statement = database.prepare(`delete from "${name}" where "${column}" = ?`);
    for (const value of values) statement.run(value);
  }
}

async function historyOf(location: string, places: Places): Promise<unknown[]> {
  const reader = await formatOf("opencode");
  const found = await reader.recognise(location, places);
  if (found === null) throw new Error(`${location} is not a session`);
  using session = await reader.open(found, places, {});
  return (await Array.fromAsync(session.history())).map(({ role, content }) => ({ role, content }));
}

function change(session: SessionInfo, sql: string): void {
  using database = new DatabaseSync(databaseOf(session));
  database.exec(sql);
}

async function talkHome(name: string): Promise<{ readonly places: Places; readonly session: SessionInfo }> {
  const { places, sessions } = await copyHome(scratchFolder(name), TALK);
  const [session] = sessions;
  if (session === undefined) throw new Error("there is no session");
  return { places, session };
}

test.each(CASES)("%s, %s: every deleted session comes back with each of its rows", async (_agent, name) => {
  const { places, sessions } = await copyHome(scratchFolder("guard-rows"), ["opencode", name]);
  expect(await runGuard({ places })).toMatchObject({ stored: sessions.length, failed: [] });
  expect(await runGuard({ places })).toMatchObject({ stored: 0, unchanged: sessions.length });
  for (const info of sessions) {
    const before = await historyOf(info.location, places);
    const rows = rowsIn(databaseOf(info));
    await deleteSession(info, places);
    expect((await gone(places)).map(({ sessionId }) => sessionId)).toEqual([info.sessionId]);
    const opened = await openCopy(findCopy(info.sessionId, places), places);
    expect(await historyOf(opened.location, opened.places)).toEqual(before);
    await restoreGuardedSession(info.sessionId, { places });
    expect(rowsIn(databaseOf(info))).toEqual(rows);
    expect(await historyOf(info.location, places)).toEqual(before);
    expect(await gone(places)).toEqual([]);
  }
  expect(await verifyGuard(places)).toMatchObject({ sessions: sessions.length, problems: [] });
});

test("a session comes back with values that are hard to write down, and with its project", async () => {
  const { places, session } = await talkHome("guard-values");
  change(
    session,
    `create table mark (session_id text, a, b, c, d, e, f);
     insert into mark values ('${session.sessionId}', 9007199254740993, 5.0, 9e999, x'00ff', cast(x'61ff62' as text), 'it''s' || char(10) || 'two;');`,
  );
  await runGuard({ places });
  const rows = rowsIn(databaseOf(session));
  change(session, "pragma foreign_keys = on; delete from mark; delete from project");
  expect((await gone(places)).map(({ sessionId }) => sessionId)).toEqual([session.sessionId]);
  await restoreGuardedSession(session.sessionId, { places });
  using database = new DatabaseSync(databaseOf(session));
  expect(
    database
      .prepare("select cast(a as text) a, b, typeof(b) t, c, hex(d) d, hex(e) e, typeof(e) u, f from mark")
      .get(),
  ).toEqual({
    a: "9007199254740993",
    b: 5,
    t: "real",
    c: Infinity,
    d: "00FF",
    e: "61FF62",
    u: "text",
    f: "it's\ntwo;",
  });
  const after = rowsIn(databaseOf(session));
  for (const table of ["session", "message", "part"]) expect(after[table]).toEqual(rows[table]);
  expect(database.prepare("pragma foreign_key_check").all()).toEqual([]);
});

test("a run reads only the sessions that changed, and messages that vanish leave an older state", async () => {
  const { places, session } = await talkHome("guard-older");
  await runGuard({ places });
  const key = `opencode:${session.sessionId}`;
  change(session, "update session set title = 'Named', time_updated = time_updated + 1");
  expect(await runGuard({ places })).toMatchObject({ stored: 1 });
  expect(findCopy(key, places).states).toHaveLength(1);
  const whole = await historyOf(session.location, places);
  change(session, "delete from message where id = (select max(id) from message)");
  expect(await runGuard({ places })).toMatchObject({ stored: 1 });
  expect(findCopy(key, places).states).toHaveLength(2);
  await deleteSession(session, places);
  await restoreGuardedSession(key, { places, state: 1 });
  expect(await historyOf(session.location, places)).toEqual(whole);
});

test("a session whose database cannot be read is not taken for a deleted one", async () => {
  const { places, session } = await talkHome("guard-unreadable");
  await runGuard({ places });
  writeFileSync(databaseOf(session), "no database");
  expect(onlyCopies({ places, metIds: new Set() })).toEqual([]);
});

test("limits count a session of a database as there until its rows are gone", async () => {
  const { places, session } = await talkHome("guard-row-limits");
  await runGuard({ places });
  changeGuardSettings(places, { maxAgeDays: 1 });
  const later = new Date(Date.now() + 3 * DAY_MS);
  expect(await runGuard({ places, now: later })).toMatchObject({ removed: 0 });
  await deleteSession(session, places);
  expect(await runGuard({ places, now: later })).toMatchObject({ removed: 1 });
  expect(readLedger(places).size).toBe(0);
});

test("a restoration over a changed session is refused; with force, that session goes to the trash", async () => {
  const { places, session } = await talkHome("guard-row-conflict");
  await runGuard({ places });
  change(session, "update session set title = 'Another'");
  await expect(restoreGuardedSession(session.sessionId, { places })).rejects.toMatchObject({
    code: "conflict",
  });
  await restoreGuardedSession(session.sessionId, { places, force: true });
  expect(rowsIn(databaseOf(session)).session?.join("")).not.toContain("Another");
});

test("the reading of a database leaves nothing next to it", async () => {
  const { places, session } = await talkHome("guard-row-trace");
  const scratch = scratchFolder("guard-row-before");
  cpSync(databaseOf(session), join(scratch, "before.db"));
  await runGuard({ places });
  expect(existsSync(`${databaseOf(session)}-journal`)).toBe(false);
  expect(rowsIn(databaseOf(session))).toEqual(rowsIn(join(scratch, "before.db")));
});
