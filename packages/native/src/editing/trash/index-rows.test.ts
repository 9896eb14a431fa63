/** The rows that an agent keeps about a session of files leave with the files, and come back with them. */

import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { SessionInfo } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import type { DatabaseRows, FilesPlan, FoundSession } from "../../native/kit/index.ts";
import { listTrash, moveToTrash, restoreFromTrash, settleTrash, trashFolder } from "./index.ts";

const NOW = new Date("2026-11-27T01:00:00.000Z");
const PID = 4_194_304;

let home: string;
let places: Places;
let file: string;
let state: string;
let history: string;

beforeEach(() => {
  home = scratchFolder("index-rows");
  places = { home, env: {} };
  mkdirSync(join(home, "native"));
  file = join(home, "native/rollout-a.jsonl");
  state = join(home, "native/state_5.sqlite");
  history = join(home, "native/thread_history_1.sqlite");
  writeFileSync(file, "{}\n");
  change(
    state,
    `create table threads (id text primary key, title text not null, size integer);
     create table ids (session_id text, key text, ordinal integer, state text,
       primary key (session_id, key), check ((ordinal = 0) = (state is not null)));
     create table notes (thread_id text references threads (id) on delete cascade, note text);
     insert into threads values ('a', 'Steeping times', 9223372036854775807), ('b', 'Another', 1);
     insert into ids values ('a', 'x', 0, '{"seed":7}'), ('a', 'y', 1, null), ('b', 'x', 0, '{"seed":8}');
     insert into notes values ('a', 'of a table that nobody named');`,
  );
  change(
    history,
    `create table items (thread_id text, item text); insert into items values ('a', 'words'), ('b', 'others');`,
  );
});

function change(path: string, sql: string): void {
  using database = new DatabaseSync(path);
  database.exec(sql);
}

function rowsOf(path: string, table: string): unknown[] {
  using database = new DatabaseSync(path, { readOnly: true });
  const statement = database.prepare(`select * from ${table} order by rowid`);
  statement.setReadBigInts(true);
  return statement
    .all()
    .map((row) => Object.values(row).map((value) => (typeof value === "bigint" ? `${value}` : value)));
}

const allRows = (): unknown[] => [
  ...["threads", "ids", "notes"].map((table) => new Set(rowsOf(state, table))),
  new Set(rowsOf(history, "items")),
];

function plan(): FilesPlan {
  const values = ["a"];
  const table = (name: string, column: string) => ({ name, column, values });
  const indexRows: DatabaseRows[] = [
    {
      database: state,
      tables: [
        table("ids", "session_id"),
        table("none", "session_id"),
        table("ids", "none"),
        table("threads", "id"),
      ],
    },
    { database: history, tables: [table("items", "thread_id")] },
    { database: join(home, "native/goals_1.sqlite"), tables: [table("goals", "thread_id")] },
  ];
  return { type: "files", paths: [file], indexLines: [], forks: [], indexRows };
}

async function trash(): Promise<string> {
  const common = { agent: "codex", sessionId: "a", location: file } as const;
  const flags = { archived: false, live: false, problems: [] };
  const found: FoundSession = { ...common, ...flags, files: [] };
  const facts = { title: null, cwd: null, gitBranch: null, createdAt: null, updatedAt: null, sizeBytes: 3 };
  const info: SessionInfo = { ...common, ...facts, ...flags };
  return (await moveToTrash(found, info, plan(), { places, now: NOW })).trashId;
}

const restore = (trashId: string, force = false) => restoreFromTrash(trashId, { places, now: NOW, force });

/** Only the rows of the other session, and those of the table that nobody named. */
const LEFT = [
  new Set([["b", "Another", "1"]]),
  new Set([["b", "x", "0", '{"seed":8}']]),
  new Set([["a", "of a table that nobody named"]]),
  new Set([["b", "others"]]),
];

test("the rows of a session are deleted and restored together with its files, and rows of other sessions stay", async () => {
  const before = allRows();
  const trashId = await trash();
  expect(existsSync(file)).toBe(false);
  expect(allRows()).toEqual(LEFT);
  await restore(trashId);
  expect(existsSync(file)).toBe(true);
  expect(allRows()).toEqual(before);
  expect(readdirSync(join(home, "native"))).toEqual([
    "rollout-a.jsonl",
    "state_5.sqlite",
    "thread_history_1.sqlite",
  ]);
});

test("nothing is deleted while another program writes to one of the databases", async () => {
  const before = allRows();
  using other = new DatabaseSync(history);
  other.exec("begin immediate");
  await expect(trash()).rejects.toMatchObject({ code: "busy" });
  other.exec("rollback");
  expect(existsSync(file)).toBe(true);
  expect(allRows()).toEqual(before);
  expect(listTrash(places).sessions).toEqual([]);
}, 20_000);

test("rows that cannot be put back after a refusal stay in the trash, and a later restoration puts them back", async () => {
  const before = allRows();
  change(state, "create trigger t before insert on threads begin select raise(abort, 'full'); end");
  change(history, "create trigger t before delete on items begin select raise(abort, 'no'); end");
  await expect(trash()).rejects.toThrow();
  expect(existsSync(file)).toBe(true);
  expect(rowsOf(state, "threads")).toEqual([["b", "Another", "1"]]);
  change(state, "drop trigger t");
  change(history, "drop trigger t");
  const [trashed] = listTrash(places).sessions;
  await restore(trashed?.trashId ?? "");
  expect(allRows()).toEqual(before);
  expect(listTrash(places).sessions).toEqual([]);
});

test("a session can be deleted and restored even if an index is damaged", async () => {
  writeFileSync(state, "this is no database, and Codex will make another one ".repeat(20));
  const trashId = await trash();
  expect(existsSync(file)).toBe(false);
  expect(rowsOf(history, "items")).toEqual([["b", "others"]]);
  await restore(trashId);
  expect(existsSync(file)).toBe(true);
  expect(new Set(rowsOf(history, "items"))).toEqual(
    new Set([
      ["a", "words"],
      ["b", "others"],
    ]),
  );
});

test("an index whose columns have changed receives the columns that it still has; rows that exist again stay", async () => {
  const trashId = await trash();
  change(
    state,
    `alter table threads drop column size; alter table threads add column is_pinned integer not null default 0;
     drop table ids; insert into threads values ('a', 'Listed again', 1);`,
  );
  change(history, "alter table items add column kind text");
  await restore(trashId);
  expect(rowsOf(state, "threads")).toEqual([
    ["b", "Another", "0"],
    ["a", "Listed again", "1"],
  ]);
  expect(new Set(rowsOf(history, "items"))).toEqual(
    new Set([
      ["b", "others", null],
      ["a", "words", null],
    ]),
  );
});

test("the rows of another session in the place are moved to the trash together with it", async () => {
  const trashId = await trash();
  writeFileSync(file, "another\n");
  change(
    state,
    `insert into threads values ('a', 'Begun later', 2); insert into ids values ('a', 'z', 0, '{"seed":9}')`,
  );
  await restore(trashId, true);
  expect(new Set(rowsOf(state, "threads"))).toEqual(
    new Set([
      ["b", "Another", "1"],
      ["a", "Steeping times", "9223372036854775807"],
    ]),
  );
  expect(rowsOf(state, "ids").filter((row) => JSON.stringify(row).startsWith('["a"'))).toEqual([
    ["a", "x", "0", '{"seed":7}'],
    ["a", "y", "1", null],
  ]);
});

describe("a deletion that was cut off after the files had moved", () => {
  const settle = (trashId: string): Promise<void> => settleTrash({ how: "trash", trashId }, PID, places);

  test("takes the rows too, and all of them come back", async () => {
    const before = allRows();
    const trashId = await trash();
    // It was killed before the transaction of the second database.
    change(history, "insert into items values ('a', 'words')");
    rmSync(join(trashFolder(places), trashId, "index-rows-1.json"));
    await settle(trashId);
    expect(allRows()).toEqual(LEFT);
    await restore(trashId);
    expect(allRows()).toEqual(before);
  });

  test("takes rows that it had only written down", async () => {
    const before = allRows();
    const trashId = await trash();
    change(history, "insert into items values ('a', 'words')");
    writeFileSync(join(trashFolder(places), trashId, "index-rows-1.json"), '[{"name":"items","ro');
    await settle(trashId);
    expect(allRows()).toEqual(LEFT);
    await restore(trashId);
    expect(allRows()).toEqual(before);
  });
});
