/** Deletions, repairs in place and restorations that a killed process left, each at every point where it can stop. */

import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { SessionInfo } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import type { FoundSession, TrashPlan } from "../../native/kit/index.ts";
import {
  listTrash,
  moveToTrash,
  type Replacement,
  restoreFromTrash,
  settleRestore,
  settleTrash,
  trashFolder,
} from "./index.ts";

const NOW = new Date("2026-11-21T20:00:00.000Z");
const PID = 4_194_304;

let home: string;
let places: Places;
let native: string;
beforeEach(() => {
  home = scratchFolder("cut-off");
  places = { home, env: {} };
  native = join(home, "native");
  mkdirSync(native);
});

async function trash(plan: TrashPlan, replacement?: Replacement): Promise<string> {
  const common = { agent: "claude", sessionId: "s", location: join(native, "a.jsonl") } as const;
  const state = { archived: false, live: false, problems: [] };
  const found: FoundSession = { ...common, ...state, files: [] };
  const times = { createdAt: null, updatedAt: null, sizeBytes: 7 };
  const info: SessionInfo = { ...common, ...state, ...times, title: null, cwd: null, gitBranch: null };
  const options = { places, now: NOW, ...(replacement === undefined ? {} : { replacement }) };
  return (await moveToTrash(found, info, plan, options)).trashId;
}

/** Every file of the agent, and its text. */
function agentFiles(): Record<string, string> {
  const names = readdirSync(native, { recursive: true, encoding: "utf8" }).sort();
  const files = names.filter((name) => !isFolder(join(native, name)));
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(native, name), "latin1")]));
}

function isFolder(path: string): boolean {
  try {
    return readdirSync(path).length >= 0;
  } catch {
    return false;
  }
}

const inTrash = (): string[] => readdirSync(trashFolder(places));
const settle = (trashId: string): Promise<void> => settleTrash({ how: "trash", trashId }, PID, places);
const settleBack = (trashId: string): Promise<void> =>
  settleRestore({ how: "restore", trashId }, PID, places);

const FILES = { "a.jsonl": "a\n", "a/subagents/one.jsonl": "one\n", "a/two.jsonl": "two\n" };

function filesPlan(): TrashPlan {
  for (const [name, text] of Object.entries(FILES)) write(name, text);
  const paths = [join(native, "a.jsonl"), join(native, "a")];
  const lines = ['{"id":"s","name":"A title"}'];
  return { type: "files", paths, indexLines: [{ path: join(native, "index.jsonl"), lines }], forks: [] };
}

function write(name: string, text: string): void {
  mkdirSync(dirname(join(native, name)), { recursive: true });
  writeFileSync(join(native, name), text);
}

/** Copies one file of a deletion back to its place: until the last file is in the trash, every file has both places. */
function unmove(trashId: string, at: number, name: string): void {
  mkdirSync(dirname(join(native, name)), { recursive: true });
  copyFileSync(join(trashFolder(places), trashId, `files/${at}`), join(native, name));
}

describe("a deletion that was cut off", () => {
  test.each([0, 1, 2])("after %i of three files is taken back", async (moved) => {
    const trashId = await trash(filesPlan());
    const names = Object.keys(FILES);
    const order = JSON.parse(readFileSync(join(trashFolder(places), trashId, "manifest.json"), "utf8")).files;
    expect(order).toHaveLength(names.length);
    for (const [at, { from }] of order.entries()) {
      if (at >= moved) unmove(trashId, at, from.slice(native.length + 1));
    }
    await settle(trashId);
    expect(agentFiles()).toEqual(FILES);
    expect(inTrash()).toEqual([]);
  });

  test("after the last file is finished, without the folders that are empty by it", async () => {
    const trashId = await trash(filesPlan());
    mkdirSync(join(native, "a/subagents"), { recursive: true });
    await settle(trashId);
    expect(readdirSync(native)).toEqual([]);
    expect(inTrash()).toEqual([trashId]);
    await restoreFromTrash(trashId, { places, now: NOW, force: false });
    expect(agentFiles()).toMatchObject(FILES);
  });

  test("after the last file is completed even if the agent began another session in the place", async () => {
    const trashId = await trash(filesPlan());
    write("a.jsonl", "another\n");
    await settle(trashId);
    expect(agentFiles()).toEqual({ "a.jsonl": "another\n" });
    expect(inTrash()).toEqual([trashId]);
  });

  test("whose manifest was damaged in the meantime stays in the trash as it is", async () => {
    const trashId = await trash(filesPlan());
    const folder = join(trashFolder(places), trashId);
    writeFileSync(join(folder, "manifest.json"), "{");
    await settle(trashId);
    expect(readdirSync(join(folder, "files"))).toHaveLength(Object.keys(FILES).length);
    expect(listTrash(places).problems).toHaveLength(1);
  });

  test("stays in the trash with a file whose place the agent took in the meantime", async () => {
    const trashId = await trash(filesPlan());
    unmove(trashId, 1, "a/subagents/one.jsonl");
    write("a.jsonl", "another\n");
    await settle(trashId);
    expect(agentFiles()).toEqual({ ...FILES, "a.jsonl": "another\n" });
    expect(inTrash()).toEqual([trashId]);
    await restoreFromTrash(trashId, { places, now: NOW, force: true });
    expect(agentFiles()).toMatchObject(FILES);
  });

  test("while a file was copied to another file system keeps the original only", async () => {
    const trashId = await trash(filesPlan());
    const aside = join(trashFolder(places), trashId, "files/0");
    copyFileSync(aside, join(native, "a.jsonl"));
    await settle(trashId);
    expect(agentFiles()).toEqual(FILES);
    expect(inTrash()).toEqual([]);
  });

  test.each([null, "", '{"version":1}'])("with the manifest %j leaves nothing in the trash", async (text) => {
    const plan = filesPlan();
    const folder = join(trashFolder(places), "1-claude-s");
    mkdirSync(folder, { recursive: true });
    if (text !== null) writeFileSync(join(folder, "manifest.json"), text);
    await settle("1-claude-s");
    expect(agentFiles()).toEqual(FILES);
    expect([plan.type, inTrash()]).toEqual(["files", []]);
  });

  test("before it had a folder in the trash changes nothing", async () => {
    filesPlan();
    await settle("1-claude-s");
    expect(agentFiles()).toEqual(FILES);
  });
});

describe("a repair in place that was cut off", () => {
  const bytes = Buffer.from("mended\n");
  const plan = (): TrashPlan => ({
    type: "files",
    paths: [join(native, "a.jsonl")],
    indexLines: [],
    forks: [],
  });

  test("before the repaired file took the place leaves the damaged one, and no other file", async () => {
    write("a.jsonl", "damaged\n");
    const trashId = await trash(plan(), { bytes });
    write("a.jsonl", "damaged\n");
    write(`a.jsonl.repaired-${PID}`, "mended\n");
    write(`a.jsonl.repaired-${PID}.new-${PID}`, "men");
    write("a.jsonl.repaired-1", "of another process");
    await settle(trashId);
    expect(agentFiles()).toEqual({ "a.jsonl": "damaged\n", "a.jsonl.repaired-1": "of another process" });
    expect(inTrash()).toEqual([]);
  });

  test("after the repaired file took the place keeps the damaged one in the trash", async () => {
    write("a.jsonl", "damaged\n");
    const trashId = await trash(plan(), { bytes });
    await settle(trashId);
    expect(agentFiles()).toEqual({ "a.jsonl": "mended\n" });
    expect(inTrash()).toEqual([trashId]);
    await restoreFromTrash(trashId, { places, now: NOW, force: false });
    expect(agentFiles()).toEqual({ "a.jsonl": "damaged\n" });
  });

  test.each<[string, string | null]>([
    ["its agent wrote to the repaired file since", "mended\nmore\n"],
    ["the repaired file is gone since", null],
  ])("keeps the damaged one in the trash where %s", async (_name, text) => {
    write("a.jsonl", "damaged\n");
    const trashId = await trash(plan(), { bytes });
    rmSync(join(native, "a.jsonl"));
    if (text !== null) write("a.jsonl", text);
    await settle(trashId);
    expect(agentFiles()).toEqual(text === null ? {} : { "a.jsonl": text });
    expect(inTrash()).toEqual([trashId]);
    await restoreFromTrash(trashId, { places, now: NOW, force: true });
    expect(agentFiles()).toEqual({ "a.jsonl": "damaged\n" });
  });

  test.each(["damaged\nmore\n", null])(
    "before the damaged file was kept leaves the place as it is, with %j",
    async (text) => {
      write("a.jsonl", "damaged\n");
      const trashId = await trash(plan(), { bytes });
      rmSync(join(trashFolder(places), trashId, "files/0"));
      rmSync(join(native, "a.jsonl"));
      if (text !== null) write("a.jsonl", text);
      await settle(trashId);
      expect([agentFiles(), inTrash()]).toEqual([text === null ? {} : { "a.jsonl": text }, []]);
    },
  );
});

describe("a restoration that was cut off", () => {
  test("continues with the files that are still in the trash, and writes the lines of the index", async () => {
    const trashId = await trash(filesPlan());
    unmove(trashId, 0, "a.jsonl");
    await settleBack(trashId);
    expect(agentFiles()).toEqual({ ...FILES, "index.jsonl": '{"id":"s","name":"A title"}\n' });
    expect(inTrash()).toEqual([]);
  });

  test("stays in the trash if another session is in the place now", async () => {
    const trashId = await trash(filesPlan());
    write("a.jsonl", "another\n");
    await settleBack(trashId);
    expect(agentFiles()).toEqual({ "a.jsonl": "another\n" });
    expect(listTrash(places).sessions.map((session) => session.trashId)).toEqual([trashId]);
  });

  test("removes the rest of a folder of the trash that was being deleted", async () => {
    const trashId = await trash(filesPlan());
    cpSync(join(trashFolder(places), trashId), join(trashFolder(places), `.gone-${trashId}`), {
      recursive: true,
    });
    await restoreFromTrash(trashId, { places, now: NOW, force: false }).catch(() => undefined);
    await settleBack(trashId);
    expect(inTrash()).toEqual([]);
  });

  test("of a session that is no longer in the trash changes nothing", async () => {
    filesPlan();
    await settleBack("1-claude-s");
    expect(agentFiles()).toEqual(FILES);
  });
});

describe("a deletion of rows that was cut off", () => {
  let database: string;
  let before: string;
  beforeEach(() => {
    database = join(native, "agent.db");
    before = join(home, "before.db");
    using db = new DatabaseSync(database);
    db.exec(`CREATE TABLE session (id text PRIMARY KEY, title text);
      CREATE TABLE part (id text PRIMARY KEY, session_id text);
      INSERT INTO session VALUES ('s', 'A title'), ('t', 'Another');
      INSERT INTO part VALUES ('p1', 's'), ('p2', 's'), ('p3', 't')`);
    db.close();
    copyFileSync(database, before);
  });

  const plan = (): TrashPlan => ({
    type: "rows",
    database,
    tables: [
      { name: "part", column: "session_id", values: ["s"] },
      { name: "session", column: "id", values: ["s"] },
    ],
    forks: [],
  });

  function ids(): unknown[] {
    using db = new DatabaseSync(database);
    return db
      .prepare("SELECT id FROM session UNION SELECT id FROM part ORDER BY id")
      .all()
      .map(({ id }) => id);
  }

  test("before the rows were deleted keeps nothing in the trash", async () => {
    const trashId = await trash(plan());
    copyFileSync(before, database);
    await settle(trashId);
    expect(ids()).toEqual(["p1", "p2", "p3", "s", "t"]);
    expect(inTrash()).toEqual([]);
  });

  test.each([null, "[{"])(
    "before the rows were kept, in a file that says %j, keeps nothing",
    async (text) => {
      const trashId = await trash(plan());
      copyFileSync(before, database);
      const rows = join(trashFolder(places), trashId, "rows.json");
      rmSync(rows);
      if (text !== null) writeFileSync(rows, text);
      await settle(trashId);
      expect(inTrash()).toEqual([]);
    },
  );

  test("after the rows were deleted stays in the trash, and can be restored", async () => {
    const trashId = await trash(plan());
    await settle(trashId);
    expect(ids()).toEqual(["p3", "t"]);
    expect(inTrash()).toEqual([trashId]);
    await settleBack(trashId);
    expect(ids()).toEqual(["p1", "p2", "p3", "s", "t"]);
    expect(inTrash()).toEqual([]);
  });

  test.each([
    ["one row is missing", "DELETE FROM part WHERE id = 'p2'"],
    ["one row is another one", "UPDATE session SET title = 'Renamed' WHERE id = 's'"],
  ])("stays in the trash where %s in the database", async (_name, change) => {
    const trashId = await trash(plan());
    copyFileSync(before, database);
    using db = new DatabaseSync(database);
    db.exec(change);
    await settle(trashId);
    expect(inTrash()).toEqual([trashId]);
  });

  test("stays in the trash if the database no longer exists", async () => {
    const trashId = await trash(plan());
    rmSync(database);
    await settle(trashId);
    expect([existsSync(database), inTrash()]).toEqual([false, [trashId]]);
    await settleBack(trashId);
    expect([existsSync(database), inTrash()]).toEqual([false, [trashId]]);
  });
});
