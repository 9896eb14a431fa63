/**
 * Sessions that share a database: a write to one of them makes no other session stale, and every change of a session is
 * noticed.
 */

import { copyFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openTexts, textsState, updateTexts } from "@continuo/agents/catalog";
import { parseQuery, searchSessions } from "@continuo/agents/search";
import { expect, test } from "vitest";
import { toOpencode2 } from "../formats/opencode/second.ts";
import {
  answer,
  insertMessage,
  type SessionOf,
  STEP,
  text,
  user,
  useScratch,
  writeDatabase,
} from "../formats/opencode/sessions.ts";

const scratch = useScratch();
const SESSIONS = 120;

interface Room {
  readonly path: string;
  readonly places: { readonly home: string; readonly cwd: string; readonly env: Record<string, string> };
  change(sql: string, ...values: string[]): void;
}

const idOf = (at: number): string => `ses_${String(at).padStart(26, "0")}`;

function sessionOf(at: number, row: SessionOf["row"] = {}): SessionOf {
  return {
    row: { id: idOf(at), title: `Title ${at}`, ...row },
    messages: [
      user(`msg_${at}_1`, `Asks about wombat${at} here`),
      answer(`msg_${at}_2`, [STEP, text(`Says quokka${at} here`)]),
    ],
  };
}

async function roomOf(sessions: readonly SessionOf[]): Promise<Room> {
  const home = scratch.folder();
  const path = join(home, "opencode.db");
  writeDatabase(path, sessions);
  const room: Room = {
    path,
    places: { home, cwd: home, env: { OPENCODE_DB: path } },
    change(sql, ...values) {
      using database = new DatabaseSync(path);
      database.prepare(sql).run(...values);
    },
  };
  expect(await updateTexts({ places: room.places })).toMatchObject({ left: 0, unreadable: [] });
  return room;
}

/** Returns the ids of the sessions that must be read again, and reads them. */
async function stale({ places }: Room): Promise<string[]> {
  await using all = await openTexts({ places });
  const ids = all.missing().map(({ sessionId }) => sessionId);
  await all.fill(() => true);
  return ids.map((id) => String(Number(id.slice(4)))).sort();
}

async function find({ places }: Room, words: string): Promise<string[]> {
  const query = parseQuery(words, { toTime: (time) => time });
  const { results, unsearched } = await searchSessions(query, { places, exclude: [], nowMs: 0 });
  expect(unsearched).toBe(0);
  return results.map(({ session }) => session.sessionId);
}

test("of 120 sessions in one database only the one that changed is read again", async () => {
  const room = await roomOf(Array.from({ length: SESSIONS }, (_, at) => sessionOf(at)));
  expect(await stale(room)).toEqual([]);
  using database = new DatabaseSync(room.path);
  insertMessage(database, idOf(77), user("msg_77_3", "And a bilby"), 5);
  // The writer has not closed the database, so the row is only in the log next to it.
  expect(await stale(room)).toEqual(["77"]);
  expect(await stale(room)).toEqual([]);
  expect(await find(room, "bilby")).toEqual([idOf(77)]);
});

test("a change of an old part with as many bytes and the same times makes its session stale", async () => {
  const room = await roomOf([0, 1, 2].map((at) => sessionOf(at)));
  room.change("update part set data = replace(data, 'quokka1', 'potoroo') where id = 'prt_msg_1_2_1'");
  expect(await stale(room)).toEqual(["1"]);
  expect(await find(room, "potoroo")).toEqual([idOf(1)]);
  expect(await find(room, "quokka1")).toEqual([]);
});

const CHANGES = {
  "a message deleted": "delete from message where id = 'msg_1_1'",
  "a part deleted": "delete from part where id = 'prt_msg_1_2_1'",
  "parts that changed places":
    "update part set id = 'prt_msg_1_2_' || (1 - substr(id, -1)) || 'x' where message_id = 'msg_1_2'",
  "messages that changed places": "update message set time_created = 5 where id = 'msg_1_2'",
  "a new title": "update session set title = 'Steeped' where id = '00'",
  "a turn taken back": `update session set revert = '{"messageID":"msg_1_2"}' where id = '00'`,
  "a part of its message under the name of no session":
    "insert into part values ('prt_z', 'msg_1_2', 'ses_gone', 1, 1, '{}')",
  "a part without a message": "insert into part values ('prt_z', 'msg_gone', '00', 1, 1, '{}')",
};

test.each(Object.entries(CHANGES))("%s makes its session stale, and no other", async (_, sql) => {
  const room = await roomOf([0, 1, 2].map((at) => sessionOf(at)));
  room.change(sql.replaceAll("'00'", `'${idOf(1)}'`));
  expect(await stale(room)).toEqual(["1"]);
});

test("a session is stale with the sessions that it started", async () => {
  const room = await roomOf([sessionOf(0), sessionOf(1), sessionOf(2, { parent_id: idOf(1) })]);
  room.change("update part set data = replace(data, 'wombat2', 'bilby') where message_id = 'msg_2_1'");
  expect(await stale(room)).toEqual(["1", "2"]);
  room.change("delete from session where id = ?", idOf(1));
  expect(await stale(room)).toContain("2");
});

test("a session of opencode 2 is stale after a change of its rows", async () => {
  const room = await roomOf([0, 1].map((at) => sessionOf(at)));
  toOpencode2(room.path, [idOf(0), idOf(1)]);
  await stale(room);
  expect(await stale(room)).toEqual([]);
  room.change("update session_message set data = replace(data, 'wombat1', 'potoroo') where id = 'msg_1_1'");
  expect(await stale(room)).toEqual(["1"]);
  expect(await find(room, "potoroo")).toEqual([idOf(1)]);
});

test("after an older database was restored, the sessions that it changes are read again", async () => {
  const room = await roomOf([0, 1, 2].map((at) => sessionOf(at)));
  const backup = join(room.places.home, "backup.db");
  copyFileSync(room.path, backup);
  room.change("update part set data = replace(data, 'wombat1', 'potoroo') where message_id = 'msg_1_1'");
  expect(await stale(room)).toEqual(["1"]);
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${room.path}${suffix}`, { force: true });
  copyFileSync(backup, room.path);
  expect(await stale(room)).toEqual(["1"]);
  expect(await find(room, "wombat1")).toEqual([idOf(1)]);
});

test("the size of all sessions is a whole number of bytes, although each has a fraction of the database", async () => {
  const room = await roomOf(Array.from({ length: 49 }, (_, at) => sessionOf(at)));
  const { size } = statSync(room.path);
  const fractions = Array.from({ length: 49 }, () => size / 49).reduce((sum, share) => sum + share, 0);
  expect(Number.isInteger(fractions)).toBe(false);
  expect(await textsState({ places: room.places })).toMatchObject({ sessions: 49, sizeBytes: size });
});
