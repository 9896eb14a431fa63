/** These tests cover replacements, refusals, and final deletions of the trash. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { SessionInfo } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import type { FilesPlan, FoundSession, RowsPlan, TrashPlan } from "../../native/kit/index.ts";
import {
  emptyTrash,
  listTrash,
  moveToTrash,
  type Replacement,
  restoreFromTrash,
  type TrashedSession,
  trashFolder,
} from "./index.ts";

const NOW = new Date("2026-11-21T20:00:00.000Z");

let home: string;
let places: Places;
let file: string;
beforeEach(() => {
  home = scratchFolder("in-place");
  places = { home, env: {} };
  file = join(home, "a.jsonl");
  writeFileSync(file, "old\n");
});

interface Trashing {
  readonly plan?: TrashPlan;
  readonly sessionId?: string;
  readonly live?: boolean;
  readonly replacement?: Replacement;
  readonly now?: Date;
}

async function trash({
  plan = filesPlan(),
  sessionId = "s",
  live = false,
  now = NOW,
  ...rest
}: Trashing = {}): Promise<TrashedSession> {
  const common = { agent: "claude", sessionId, location: file } as const;
  const found: FoundSession = { ...common, live, archived: false, problems: [], files: [] };
  const facts = { title: null, cwd: null, gitBranch: null, createdAt: null, updatedAt: null, sizeBytes: 4 };
  const info: SessionInfo = { ...common, ...facts, live: false, archived: false, problems: [] };
  return await moveToTrash(found, info, plan, { places, now, ...rest });
}

function filesPlan(change: Partial<FilesPlan> = {}): FilesPlan {
  return { type: "files", paths: [file], indexLines: [], forks: [], ...change };
}

const restore = (id: string, force = false): Promise<TrashedSession> =>
  restoreFromTrash(id, { places, now: NOW, force });
const text = (): string => readFileSync(file, "utf8");
const trashIds = (): string[] => listTrash(places).sessions.map(({ trashId }) => trashId);

describe("a file that another one replaces", () => {
  const replacement = { bytes: Buffer.from("new\n") };

  test("gives way to it in one step, and comes back in its place", async () => {
    const { trashId } = await trash({ replacement });
    expect(text()).toBe("new\n");
    expect(readdirSync(home).sort()).toEqual([".continuo", "a.jsonl"]);
    await restore(trashId);
    expect([text(), trashIds()]).toEqual(["old\n", []]);
  });

  test("is not placed if somebody wrote to the other session in the meantime, unless it is forced", async () => {
    const { trashId } = await trash({ replacement });
    writeFileSync(file, "new\nmore\n");
    await expect(restore(trashId)).rejects.toMatchObject({
      code: "conflict",
      message: `cannot restore ${file}: a file of this name exists again`,
      hint: "Use `--force` to restore it, and to move the other file to the trash; nothing was restored.",
      details: { path: file },
    });
    expect(text()).toBe("new\nmore\n");
    await restore(trashId, true);
    expect(text()).toBe("old\n");
    const [kept = ""] = trashIds();
    await restore(kept);
    expect([text(), trashIds()]).toEqual(["new\nmore\n", []]);
  });
});

describe("rows that others replace", () => {
  let plan: RowsPlan;
  beforeEach(() => {
    const database = join(home, "agent.db");
    using db = new DatabaseSync(database);
    db.exec("CREATE TABLE part (id text PRIMARY KEY, session_id text, data text)");
    db.exec("INSERT INTO part VALUES ('p1', 's', 'old'), ('p2', 's', 'old'), ('p3', 't', 'other')");
    const tables = [{ name: "part", column: "session_id", values: ["s"] }];
    plan = { type: "rows", database, tables, forks: [] };
  });

  function rows(): unknown[] {
    using db = new DatabaseSync(plan.database);
    return db
      .prepare("SELECT id, data FROM part ORDER BY id")
      .all()
      .map(({ id, data }) => `${id} ${data}`);
  }

  test("go in the transaction that writes the others, and come back in their place", async () => {
    const replacement: Replacement = {
      rows(take) {
        using db = new DatabaseSync(plan.database);
        db.exec("BEGIN");
        take(db);
        db.exec("INSERT INTO part VALUES ('p1', 's', 'new')");
        db.exec("COMMIT");
      },
    };
    const { trashId } = await trash({ plan, replacement });
    expect(rows()).toEqual(["p1 new", "p3 other"]);
    await restore(trashId);
    expect(rows()).toEqual(["p1 old", "p2 old", "p3 other"]);
  });

  test("stay if the others cannot be written", async () => {
    const failed = new Error("cannot be written");
    const replacement: Replacement = {
      rows() {
        throw failed;
      },
    };
    await expect(trash({ plan, replacement })).rejects.toBe(failed);
    expect([rows(), readdirSync(trashFolder(places))]).toEqual([["p1 old", "p2 old", "p3 other"], []]);
  });

  test("stay if other rows depend on them, because the database would then change those too", async () => {
    using db = new DatabaseSync(plan.database);
    db.exec("CREATE TABLE later (id text, part_id text REFERENCES part(id) ON DELETE CASCADE)");
    db.exec("INSERT INTO later VALUES ('l', 'p1')");
    await expect(trash({ plan })).rejects.toMatchObject({
      code: "unsupported",
      message: `cannot delete the session: other rows of ${plan.database} depend on it; nothing was deleted`,
      hint: "Update Continuo: a newer version of the agent may store more.",
    });
    expect([rows(), readdirSync(trashFolder(places))]).toEqual([["p1 old", "p2 old", "p3 other"], []]);
  });

  test("of a database that is gone are not found", async () => {
    rmSync(plan.database);
    await expect(trash({ plan })).rejects.toMatchObject({
      code: "not_found",
      message: `there is no database ${plan.database}`,
    });
  });

  test("of a file that is not a database are not changed", async () => {
    writeFileSync(plan.database, "hello, this is a text and no database");
    await expect(trash({ plan })).rejects.toMatchObject({
      code: "unwritable",
      message: `cannot write ${plan.database}: file is not a database`,
    });
  });
});

describe("a deletion is refused", () => {
  test("while the session is open in its agent", async () => {
    await expect(trash({ live: true })).rejects.toMatchObject({
      code: "session_live",
      message: "session s is open in claude",
      hint: "Close it there first.",
    });
  });

  test.each([
    [["f"], "a fork reads the files of claude:s", "f"],
    [["f", "g"], "2 forks read the files of claude:s", "f g"],
  ])("while the forks %j read the files of the session", async (forks, message, names) => {
    await expect(trash({ plan: filesPlan({ forks }) })).rejects.toMatchObject({
      code: "has_forks",
      message,
      hint: `Delete them first, or together with it: ${names}`,
      details: { forks },
    });
  });

  test("of files that are gone, with their names", async () => {
    rmSync(file);
    const paths = [file, join(home, "b.jsonl")];
    await expect(trash({ plan: filesPlan({ paths }) })).rejects.toMatchObject({
      code: "not_found",
      message: `${paths.join(", ")} no longer exists`,
    });
    expect(existsSync(trashFolder(places))).toBe(false);
  });

  test("at the same moment as another one of the same session", async () => {
    await trash();
    writeFileSync(file, "old\n");
    await expect(trash()).rejects.toMatchObject({
      code: "conflict",
      message: "another program is deleting this session",
    });
    expect(text()).toBe("old\n");
  });

  test("if its folder cannot be made", async () => {
    await expect(trash({ sessionId: "s".repeat(300) })).rejects.toMatchObject({
      code: "unwritable",
      message: expect.stringContaining("ENAMETOOLONG"),
    });
    expect(text()).toBe("old\n");
  });
});

test("a trash id names the time, the agent and the session of a deletion, and only such ids can be read", async () => {
  const { trashId } = await trash();
  expect(trashId).toBe("2026-11-21T20-00-00-000Z-claude-s");
  expect(statSync(join(trashFolder(places), trashId)).mode & 0o777).toBe(0o700);
});

test("emptying removes sessions that were deleted before the time, not those deleted at that time", async () => {
  const { trashId } = await trash();
  expect(emptyTrash(places, NOW)).toEqual([]);
  expect(trashIds()).toEqual([trashId]);
  expect(emptyTrash(places, new Date(NOW.getTime() + 1)).map((session) => session.trashId)).toEqual([
    trashId,
  ]);
  expect(readdirSync(trashFolder(places))).toEqual([]);
});

test.each([
  ["", 1],
  [", also when the clock was set back between them", -3_600_000],
])("if a session was deleted twice, the newest deletion is restored%s", async (_name, passedMs) => {
  await trash();
  writeFileSync(file, "newer\n");
  await trash({ now: new Date(NOW.getTime() + passedMs) });
  expect(trashIds()).toEqual(["2026-11-21T20-00-00-001Z-claude-s", "2026-11-21T20-00-00-000Z-claude-s"]);
  await restore("claude:s");
  expect([text(), trashIds()]).toEqual(["newer\n", ["2026-11-21T20-00-00-000Z-claude-s"]]);
});

test("a missing file in the trash is reported, and nothing is restored", async () => {
  const other = join(home, "b.jsonl");
  writeFileSync(other, "other\n");
  const { trashId } = await trash({ plan: filesPlan({ paths: [file, other] }) });
  const folder = join(trashFolder(places), trashId);
  rmSync(join(folder, "files/1"));
  await expect(restore(trashId)).rejects.toMatchObject({
    code: "corrupt",
    message: `${join(folder, "files/1")} is gone from the trash`,
    hint: `Look in ${join(folder, "files")} for the remaining files.`,
    details: { path: other },
  });
  expect([existsSync(file), trashIds()]).toEqual([false, [trashId]]);
});

test("a place that is no longer a folder is reported, and the session stays in the trash", async () => {
  const folder = join(home, "sessions");
  file = join(folder, "a.jsonl");
  mkdirSync(folder);
  writeFileSync(file, "old\n");
  const { trashId } = await trash();
  rmSync(folder, { recursive: true });
  writeFileSync(folder, "a file");
  await expect(restore(trashId)).rejects.toMatchObject({
    code: "unwritable",
    message: expect.stringContaining("cannot move the session: a file is in the place of a folder"),
  });
  expect([readFileSync(folder, "utf8"), trashIds()]).toEqual(["a file", [trashId]]);
});
