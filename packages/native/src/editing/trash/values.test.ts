/** Rows in the trash: every value that a database can hold comes back as it was, and can be read where it is. */

import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { SessionInfo } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import type { FoundSession, RowsPlan, TrashPlan } from "../../native/kit/index.ts";
import { layOutTrashed, moveToTrash, restoreFromTrash, trashedFiles, trashFolder } from "./index.ts";

const NOW = new Date("2026-11-21T20:00:00.000Z");

let home: string;
let places: Places;
let database: string;
beforeEach(() => {
  home = scratchFolder("values");
  places = { home, env: {} };
  database = join(home, "agent.db");
});

async function trash(plan: TrashPlan, location: string): Promise<string> {
  const common = { agent: "opencode", sessionId: "s", location } as const;
  const found: FoundSession = { ...common, live: false, archived: false, problems: [], files: [] };
  const facts = { title: null, cwd: null, gitBranch: null, createdAt: null, updatedAt: null, sizeBytes: 4 };
  const info: SessionInfo = { ...common, ...facts, live: false, archived: false, problems: [] };
  return (await moveToTrash(found, info, plan, { places, now: NOW })).trashId;
}

function rowsPlan(): RowsPlan {
  const tables = ["part", "session", "empty"].map((name) => ({ name, column: "session_id", values: ["s"] }));
  return { type: "rows", database, tables, forks: [] };
}

const VALUES: Readonly<Record<string, string>> = {
  "a text": "'a text'",
  "an empty text": "''",
  "a text with a NUL": "CAST(x'610062' AS TEXT)",
  "a text that is no UTF-8": "CAST(x'61ff62' AS TEXT)",
  "a text with a character of four bytes": "'\u{1f375}'",
  "bytes that are a text": "x'6162'",
  "bytes that are none": "x'ff00'",
  "no bytes": "x''",
  "the greatest integer": "9223372036854775807",
  "the least integer": "-9223372036854775808",
  "an integer as a real": "1.0",
  "a real": "0.1",
  "an infinite real": "9e999",
  "a negative infinite real": "-9e999",
  nothing: "NULL",
};

describe("a row of the trash", () => {
  function facts(path: string): unknown[] {
    using db = new DatabaseSync(path, { readOnly: true });
    return db
      .prepare("SELECT id, typeof(value) AS type, hex(CAST(value AS BLOB)) AS bytes FROM part ORDER BY id")
      .all()
      .map((row) => ({ ...row }));
  }

  beforeEach(() => {
    using db = new DatabaseSync(database);
    db.exec('CREATE TABLE session (session_id text, "a ""b" text)');
    db.exec("CREATE TABLE empty (session_id text)");
    db.exec("CREATE TABLE part (id text PRIMARY KEY, session_id text, value, twice AS (id || id))");
    db.exec("INSERT INTO session VALUES ('s', 'x')");
    for (const [name, value] of Object.entries(VALUES)) {
      db.prepare(`INSERT INTO part VALUES (?, 's', ${value})`).run(name);
    }
  });

  test("comes back with every value as it was", async () => {
    const before = facts(database);
    expect(before).toHaveLength(Object.keys(VALUES).length);
    const trashId = await trash(rowsPlan(), `${database}#s`);
    expect(facts(database)).toEqual([]);
    await restoreFromTrash(trashId, { places, now: NOW, force: false });
    expect(facts(database)).toEqual(before);
  });

  test("can be read in a separate database, which is removed when it is disposed of", async () => {
    const before = facts(database);
    const trashId = await trash(rowsPlan(), `${database}#s`);
    const laidOut = await layOutTrashed(trashId, places);
    const [path = "", id] = laidOut?.location.split("#") ?? [];
    expect([id, laidOut?.others]).toEqual(["s", []]);
    expect(facts(path)).toEqual(before);
    using db = new DatabaseSync(path, { readOnly: true });
    expect(
      db
        .prepare("SELECT * FROM session")
        .all()
        .map((row) => ({ ...row })),
    ).toEqual([{ session_id: "s", 'a "b': "x" }]);
    db.close();
    laidOut?.[Symbol.dispose]();
    expect(existsSync(path)).toBe(false);
    expect(readdirSync(join(trashFolder(places), trashId)).sort()).toEqual(["manifest.json", "rows.json"]);
  });
});

test("a row that never left the database is not restored a second time", async () => {
  using db = new DatabaseSync(database);
  db.exec("CREATE TABLE session (session_id TEXT, title TEXT); INSERT INTO session VALUES ('s', 'T')");
  const trashId = await trash(rowsPlan(), `${database}#s`);
  db.exec("INSERT INTO session VALUES ('s', 'T')");
  await restoreFromTrash(trashId, { places, now: NOW, force: false });
  expect(db.prepare("SELECT count(*) AS count FROM session").get()?.count).toBe(1);
});

test("rows whose copy in the trash is damaged are refused, and the session stays in the trash", async () => {
  using db = new DatabaseSync(database);
  db.exec("CREATE TABLE session (session_id TEXT); INSERT INTO session VALUES ('s')");
  const trashId = await trash(rowsPlan(), `${database}#s`);
  const path = join(trashFolder(places), trashId, "rows.json");
  writeFileSync(path, '[{"name"');
  await expect(restoreFromTrash(trashId, { places, now: NOW, force: false })).rejects.toMatchObject({
    code: "corrupt",
    message: `${path} is damaged: the rows in it cannot be restored`,
    details: { path },
  });
  expect(existsSync(path)).toBe(true);
});

test("a file in the place of the trash is named as the obstacle", async () => {
  const main = join(home, "a.jsonl");
  writeFileSync(main, "main\n");
  mkdirSync(join(trashFolder(places), ".."), { recursive: true });
  writeFileSync(trashFolder(places), "");
  const plan: TrashPlan = { type: "files", paths: [main], indexLines: [], forks: [] };
  await expect(trash(plan, main)).rejects.toMatchObject({
    message: expect.stringContaining("a file is in the place of a folder"),
  });
  expect(readFileSync(main, "utf8")).toBe("main\n");
});

test("files in the trash can be read in their original layout, with the time stamps that they have in the trash", async () => {
  const [main, other] = [join(home, "native/a.jsonl"), join(home, "native/a/sub.jsonl")];
  mkdirSync(join(home, "native/a"), { recursive: true });
  writeFileSync(main, "main\n");
  writeFileSync(other, "other\n");
  const paths = [main, join(home, "native/a")];
  const trashId = await trash({ type: "files", paths, indexLines: [], forks: [] }, main);
  using laidOut = await layOutTrashed(trashId, places);
  expect(readFileSync(laidOut?.location ?? "", "utf8")).toBe("main\n");
  expect(laidOut?.others.map((path) => readFileSync(path, "utf8"))).toEqual(["other\n"]);
  expect(laidOut?.location.endsWith(main)).toBe(true);
  const folder = join(trashFolder(places), trashId);
  expect(trashedFiles(trashId, places).map(({ path, sizeBytes }) => [path, sizeBytes])).toEqual([
    [join(folder, "manifest.json"), expect.any(Number)],
    [join(folder, "files/0"), 5],
    [join(folder, "files/1"), 6],
  ]);
});

test("a symbolic link is deleted and restored as a link, and files with different single bytes differ", async () => {
  const [link, file] = [join(home, "native/link"), join(home, "native/one")];
  mkdirSync(join(home, "native"));
  symlinkSync("nowhere", link);
  writeFileSync(file, "1");
  const plan = { type: "files", paths: [join(home, "native")], indexLines: [], forks: [] } as const;
  const trashId = await trash(plan, file);
  expect(existsSync(join(home, "native"))).toBe(false);
  const kept = join(trashFolder(places), trashId, "files");
  const [aside = ""] = readdirSync(kept).filter((name) => lstatSync(join(kept, name)).isFile());
  writeFileSync(join(kept, aside), "2");
  const restore = (): Promise<unknown> => restoreFromTrash(trashId, { places, now: NOW, force: false });
  await expect(restore()).rejects.toMatchObject({
    code: "conflict",
    message: `${join(kept, aside)} was changed in the trash`,
  });
  writeFileSync(join(kept, aside), "1");
  await restore();
  expect([readlinkSync(link), readFileSync(file, "utf8")]).toEqual(["nowhere", "1"]);
});

test("a session that is no longer in the trash cannot be read from there", async () => {
  expect(await layOutTrashed("1-opencode-s", places)).toBe(null);
  expect(trashedFiles("1-opencode-s", places)).toEqual([]);
});
