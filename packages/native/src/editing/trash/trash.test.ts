import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { SessionInfo } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { beforeEach, describe, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import type { FoundSession, TrashPlan } from "../../native/kit/index.ts";
import { emptyTrash, listTrash, moveToTrash, restoreFromTrash, trashFolder } from "./index.ts";

const NOW = new Date("2026-11-21T20:00:00.000Z");
const INFO: SessionInfo = {
  agent: "claude",
  sessionId: "11111111-1111-4111-8111-111111111111",
  title: "A title",
  cwd: "/home/dev/project",
  gitBranch: null,
  createdAt: null,
  updatedAt: "2026-11-20T20:00:00.000Z",
  sizeBytes: 7,
  archived: false,
  live: false,
  location: "set below",
  problems: [],
};

let home: string;
let places: Places;
let found: FoundSession;

beforeEach(() => {
  home = scratchFolder("trash");
  places = { home, env: {} };
  found = {
    agent: "claude",
    sessionId: INFO.sessionId,
    location: join(home, "a.jsonl"),
    files: [],
    archived: false,
    live: false,
    problems: [],
  };
});

/** Every file below a folder: its bytes, mode and time stamp. */
function snapshot(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const { mode, mtimeMs } = statSync(path);
      return [path, `${mode.toString(8)} ${mtimeMs} ${readFileSync(path, "base64")}`];
    }),
  );
}

function filesPlan(): TrashPlan {
  const native = join(home, "native");
  mkdirSync(join(native, "a/subagents"), { recursive: true });
  writeFileSync(join(native, "a.jsonl"), "torn \xff{\n", { mode: 0o600 });
  writeFileSync(join(native, "a/subagents/agent-1.jsonl"), "{}\n");
  chmodSync(join(native, "a/subagents/agent-1.jsonl"), 0o640);
  writeFileSync(join(native, "index.jsonl"), '{"id":"other"}\n{"id":"a","name":"A title"}\n');
  utimesSync(join(native, "a.jsonl"), 1_700_000_000, 1_700_000_000.5);
  return {
    type: "files",
    paths: [join(native, "a.jsonl"), join(native, "a"), join(native, "not-there")],
    indexLines: [{ path: join(native, "index.jsonl"), lines: ['{"id":"a","name":"A title"}'] }],
    forks: [],
  };
}

describe("files", () => {
  test("a restored session equals the deleted one byte for byte, with modes, time stamps and folders", async () => {
    const plan = filesPlan();
    const before = snapshot(join(home, "native"));
    const trashed = await moveToTrash(found, INFO, plan, { places, now: NOW });
    expect(readdirSync(join(home, "native"))).toEqual(["index.jsonl"]);
    expect(listTrash(places).sessions).toEqual([trashed]);
    expect(await restoreFromTrash("claude:1111", { places, now: NOW, force: false })).toEqual(trashed);
    expect(snapshot(join(home, "native"))).toEqual(before);
    expect(readdirSync(trashFolder(places))).toEqual([]);
  });

  test("the rows of the index are written again if the index no longer has them", async () => {
    const index = join(home, "native/index.jsonl");
    await moveToTrash(found, INFO, filesPlan(), { places, now: NOW });
    writeFileSync(index, '{"id":"other"}');
    await restoreFromTrash(INFO.sessionId, { places, now: NOW, force: false });
    expect(readFileSync(index, "utf8")).toBe('{"id":"other"}\n{"id":"a","name":"A title"}\n');
  });

  test("an interrupted deletion can be restored like any other, whichever files it had moved", async () => {
    const plan = filesPlan();
    const before = snapshot(join(home, "native"));
    const { trashId } = await moveToTrash(found, INFO, plan, { places, now: NOW });
    renameSync(join(trashFolder(places), trashId, "files/0"), join(home, "native/a.jsonl"));
    await restoreFromTrash(trashId, { places, now: NOW, force: false });
    expect(snapshot(join(home, "native"))).toEqual(before);
  });

  test("another file in the place is a conflict, and nothing is restored", async () => {
    const { trashId } = await moveToTrash(found, INFO, filesPlan(), { places, now: NOW });
    writeFileSync(join(home, "native/a.jsonl"), "new\n");
    const before = snapshot(home);
    await expect(restoreFromTrash(trashId, { places, now: NOW, force: false })).rejects.toMatchObject({
      code: "conflict",
    });
    expect(snapshot(home)).toEqual(before);
  });

  test("a file that was changed in the trash is a conflict", async () => {
    const { trashId } = await moveToTrash(found, INFO, filesPlan(), { places, now: NOW });
    writeFileSync(join(trashFolder(places), trashId, "files/0"), "changed");
    await expect(restoreFromTrash(trashId, { places, now: NOW, force: false })).rejects.toMatchObject({
      code: "conflict",
    });
  });
});

describe("restored by force", () => {
  const trashed = (): string[] => listTrash(places).sessions.map(({ trashId }) => trashId);
  const at = (name: string): string => join(home, "native", name);

  test("a session that its agent started again in the same place goes to the trash, and can be restored", async () => {
    const plan = filesPlan();
    const old = readFileSync(at("a.jsonl"), "utf8");
    const { trashId } = await moveToTrash(found, INFO, plan, { places, now: NOW });
    writeFileSync(at("a.jsonl"), "new\n");
    await restoreFromTrash(trashId, { places, now: NOW, force: true });
    expect(readFileSync(at("a.jsonl"), "utf8")).toBe(old);
    const [kept = ""] = trashed();
    expect(kept).not.toBe(trashId);
    await restoreFromTrash(kept, { places, now: NOW, force: false });
    expect(readFileSync(at("a.jsonl"), "utf8")).toBe("new\n");
    expect(trashed()).toEqual([]);
  });

  test("records that the agent wrote to the file in the trash are restored with the session", async () => {
    const plan = filesPlan();
    const old = readFileSync(at("a.jsonl"), "utf8");
    const fd = openSync(at("a.jsonl"), "a");
    const { trashId } = await moveToTrash(found, INFO, plan, { places, now: NOW });
    writeSync(fd, "one more\n");
    closeSync(fd);
    await expect(restoreFromTrash(trashId, { places, now: NOW, force: false })).rejects.toMatchObject({
      code: "conflict",
      hint: expect.stringContaining("--force"),
    });
    await restoreFromTrash(trashId, { places, now: NOW, force: true });
    expect(readFileSync(at("a.jsonl"), "utf8")).toBe(`${old}one more\n`);
  });
});

test.each(["", "{", "null", '{"version":1}', '{"trashId":"../../x"}'])(
  "a folder with the manifest %j is a problem, and the others are listed",
  async (manifest) => {
    const trashed = await moveToTrash(found, INFO, filesPlan(), { places, now: NOW });
    mkdirSync(join(trashFolder(places), "strange"));
    writeFileSync(join(trashFolder(places), "strange/manifest.json"), manifest);
    const { sessions, problems } = listTrash(places);
    expect(sessions).toEqual([trashed]);
    expect(problems.map(({ code }) => code)).toEqual(["unreadable"]);
    expect(emptyTrash(places)).toEqual([trashed]);
    expect(readdirSync(trashFolder(places))).toEqual(["strange"]);
  },
);

test.each([
  ["a file outside of the trash", { files: [{ from: "/a", to: "../../other", sha256: "" }] }],
  ["a relative place", { files: [{ from: "a", to: "files/0", sha256: "" }] }],
  ["no file at all", { files: [null] }],
  ["paths that are no list", { plan: { type: "files", forks: [], indexLines: [], paths: "/" } }],
  ["rows without a database", { plan: { type: "rows", forks: [], tables: [] } }],
])("a deletion whose manifest says %s cannot be restored", async (_what, change) => {
  writeFileSync(found.location, "{}\n");
  const { trashId } = await moveToTrash(found, INFO, filesPlan(), { places, now: NOW });
  const path = join(trashFolder(places), trashId, "manifest.json");
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), ...change }));
  const before = snapshot(home);
  expect(listTrash(places).problems.map(({ code }) => code)).toEqual(["unreadable"]);
  const restoring = restoreFromTrash(trashId, { places, now: NOW, force: true });
  await expect(restoring).rejects.toMatchObject({ code: "not_found" });
  expect(snapshot(home)).toEqual(before);
});

describe("what is in use stays", () => {
  test.each([
    ["session_live", { live: true as const }, {}],
    ["has_forks", {}, { forks: ["b"] }],
  ])("%s", async (code, change, planChange) => {
    const plan = { ...filesPlan(), ...planChange };
    const before = snapshot(home);
    const deletion = moveToTrash({ ...found, ...change }, INFO, plan, { places, now: NOW });
    await expect(deletion).rejects.toMatchObject({ code });
    expect(snapshot(home)).toEqual(before);
  });
});

describe("rows", () => {
  let plan: TrashPlan;
  let database: string;

  beforeEach(() => {
    database = join(home, "agent.db");
    using db = new DatabaseSync(database);
    db.exec(`CREATE TABLE session (id text PRIMARY KEY, cost real, big integer, raw blob);
      CREATE TABLE part (id text PRIMARY KEY, session_id text REFERENCES session(id), data text);
      INSERT INTO session VALUES ('a', 0.1, 9007199254740993, x'00ff'), ('b', 1, 2, NULL);
      INSERT INTO part VALUES ('p1', 'a', '{"text":"\\u0000"}'), ('p2', 'b', NULL)`);
    plan = {
      type: "rows",
      database,
      tables: [
        { name: "part", column: "session_id", values: ["a"] },
        { name: "session", column: "id", values: ["a"] },
        { name: "newer_table", column: "id", values: ["a"] },
      ],
      forks: [],
    };
  });

  function rows(): unknown[] {
    using db = new DatabaseSync(database);
    return ["session", "part"].map((table) => {
      const statement = db.prepare(`SELECT * FROM ${table} ORDER BY id`);
      statement.setReadBigInts(true);
      return statement.all().map((row) => ({ ...row }));
    });
  }

  test("all values of the rows are restored", async () => {
    const before = rows();
    await moveToTrash(found, INFO, plan, { places, now: NOW });
    expect(rows()).toEqual([[expect.objectContaining({ id: "b" })], [expect.objectContaining({ id: "p2" })]]);
    await restoreFromTrash("1111", { places, now: NOW, force: false });
    expect(rows()).toEqual(before);
  });

  test("with `force`, other rows with the same keys move to the trash, and can be restored from there", async () => {
    const before = rows();
    const { trashId } = await moveToTrash(found, INFO, plan, { places, now: NOW });
    using db = new DatabaseSync(database);
    db.exec("INSERT INTO session VALUES ('a', 5, 5, NULL)");
    const other = rows();
    await restoreFromTrash(trashId, { places, now: NOW, force: true });
    expect(rows()).toEqual(before);
    const [kept] = listTrash(places).sessions;
    await restoreFromTrash(kept?.trashId ?? "", { places, now: NOW, force: true });
    expect(rows()).toEqual(other);
  });

  test("another row with the same key is a conflict, and nothing is restored", async () => {
    await moveToTrash(found, INFO, plan, { places, now: NOW });
    using db = new DatabaseSync(database);
    db.exec("INSERT INTO session VALUES ('a', 5, 5, NULL)");
    const before = rows();
    await expect(restoreFromTrash("1111", { places, now: NOW, force: false })).rejects.toMatchObject({
      code: "conflict",
    });
    expect(rows()).toEqual(before);
    expect(listTrash(places).sessions).toHaveLength(1);
  });
});

describe("the trash", () => {
  test("an unknown id is not found, an ambiguous one lists its sessions", async () => {
    await moveToTrash(found, INFO, filesPlan(), { places, now: NOW });
    await moveToTrash(found, { ...INFO, agent: "pi" }, filesPlan(), {
      places,
      now: new Date(NOW.getTime() + 1),
    });
    await expect(restoreFromTrash("2222", { places, now: NOW, force: false })).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(restoreFromTrash("", { places, now: NOW, force: false })).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(restoreFromTrash("1111", { places, now: NOW, force: false })).rejects.toMatchObject({
      code: "ambiguous",
    });
  });

  test("emptying permanently deletes older sessions", async () => {
    const old = await moveToTrash(found, INFO, filesPlan(), { places, now: NOW });
    const fresh = await moveToTrash(found, INFO, filesPlan(), {
      places,
      now: new Date(NOW.getTime() + 1000),
    });
    expect(emptyTrash(places, new Date(NOW.getTime() + 500))).toEqual([old]);
    expect(listTrash(places).sessions).toEqual([fresh]);
    expect(existsSync(join(trashFolder(places), old.trashId))).toBe(false);
  });

  test("only the user can read it", async () => {
    const { trashId } = await moveToTrash(found, INFO, filesPlan(), { places, now: NOW });
    const folder = join(trashFolder(places), trashId);
    expect([statSync(folder).mode & 0o777, statSync(join(folder, "manifest.json")).mode & 0o777]).toEqual([
      0o700, 0o600,
    ]);
  });
});
