import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionInfo } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import type { FilesPlan, FoundSession } from "../../native/kit/index.ts";
import { listTrash, moveToTrash, restoreFromTrash, settleTrash } from "./index.ts";

const NOW = new Date("2026-11-21T20:00:00.000Z");
let home: string;
let places: Places;
let from: string;
let to: string;
let plan: FilesPlan;

beforeEach(() => {
  home = scratchFolder("places");
  places = { home, env: {} };
  from = join(home, "old", "a.jsonl");
  to = join(home, "new", "b.jsonl");
  mkdirSync(join(home, "old", "a"), { recursive: true });
  writeFileSync(from, "said\n");
  writeFileSync(join(home, "old", "a", "result.txt"), "long\n");
  plan = { type: "files", paths: [from, join(home, "old", "a")], indexLines: [], forks: [] };
});

async function move(): Promise<string> {
  const placed = [
    { path: to, bytes: Buffer.from("said again\n") },
    { path: join(home, "new", "b", "result.txt"), copyOf: join(home, "old", "a", "result.txt") },
  ];
  const info: SessionInfo = {
    agent: "claude",
    sessionId: "a",
    title: null,
    cwd: null,
    gitBranch: null,
    createdAt: null,
    updatedAt: null,
    sizeBytes: 5,
    archived: false,
    live: false,
    location: from,
    problems: [],
  };
  const found: FoundSession = { ...info, cwd: home, files: [] };
  return (await moveToTrash(found, info, plan, { places, now: NOW, replacement: { placed } })).trashId;
}

test("restoring the old state removes the session from its new place", async () => {
  const trashId = await move();
  expect(readFileSync(to, "utf8")).toBe("said again\n");
  expect(readdirSync(join(home, "old"))).toEqual([]);
  await restoreFromTrash(trashId, { places, now: NOW, force: false });
  expect(readFileSync(from, "utf8")).toBe("said\n");
  expect(readFileSync(join(home, "old", "a", "result.txt"), "utf8")).toBe("long\n");
  expect(existsSync(join(home, "new"))).toBe(false);
});

test("the old state is restored only with `force` if an agent has written to the session since", async () => {
  const trashId = await move();
  writeFileSync(to, "said again\nand more\n");
  await expect(restoreFromTrash(trashId, { places, now: NOW, force: false })).rejects.toMatchObject({
    code: "conflict",
  });
  expect(existsSync(from)).toBe(false);
  await restoreFromTrash(trashId, { places, now: new Date(NOW.getTime() + 1), force: true });
  expect(readFileSync(from, "utf8")).toBe("said\n");
  expect(existsSync(to)).toBe(false);
  const [kept] = listTrash(places).sessions;
  await restoreFromTrash(kept?.trashId ?? "", { places, now: NOW, force: false });
  expect(readFileSync(to, "utf8")).toBe("said again\nand more\n");
});

test("a move to a place that is taken is refused, and nothing changes", async () => {
  mkdirSync(join(home, "new"));
  writeFileSync(to, "another session\n");
  await expect(move()).rejects.toMatchObject({ code: "conflict" });
  expect(readFileSync(to, "utf8")).toBe("another session\n");
  expect(readFileSync(from, "utf8")).toBe("said\n");
  expect(listTrash(places).sessions).toEqual([]);
});

test("a process that was killed between placing and moving has changed nothing", async () => {
  const trashId = await move();
  // The process was killed before the old files left.
  writeFileSync(from, "said\n");
  mkdirSync(join(home, "old", "a"), { recursive: true });
  writeFileSync(join(home, "old", "a", "result.txt"), "long\n");
  await settleTrash({ how: "trash", trashId }, 0, places);
  expect(existsSync(to)).toBe(false);
  expect(readFileSync(from, "utf8")).toBe("said\n");
  expect(listTrash(places).sessions).toEqual([]);
});
