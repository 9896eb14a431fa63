/**
 * A moved project keeps its sessions at all five agents, and one restoration undoes everything. The real agents confirm
 * this in `test/agents/relocate/`.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { listNativeSessions } from "@continuo/native";
import { relocateProject, restoreNativeSession } from "@continuo/native/editing";
import { lockNative } from "@continuo/native/writing";
import { beforeEach, expect, test } from "vitest";
import { folderName, sessionPath, talk } from "../lost/claude-recipes.ts";
import {
  codexPath,
  event,
  header,
  rolloutName,
  said,
  shown,
  TALK,
  THREAD,
  writeThread,
} from "../lost/codex-recipes.ts";
import { geminiPath } from "../lost/gemini-recipes.ts";
import { opencodeDatabase } from "../lost/opencode-recipes.ts";
import { PI_ID, PI_TALK, piFolder, piHeader, piPath, writePi } from "../lost/pi-recipes.ts";
import { contentOf, type LostHome, makeLostHome, placesOfHome, toLines, writeText } from "../lost/recipe.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { ANSWERED, ASKED, writeAll } from "./five-agents.ts";

let home: LostHome;
let target: string;

beforeEach(() => {
  home = makeLostHome(scratchFolder("relocate"));
  target = join(home.root, "work", "renamed project");
});

const OTHER = "5a1d2c3b-7e8f-4a90-8b1c-2d3e4f5a6b7c";

function move(): void {
  mkdirSync(dirname(target), { recursive: true });
  renameSync(home.project, target);
}

async function sessionsOf(cwd: string): Promise<readonly string[]> {
  const sessions = await listNativeSessions({ places: placesOfHome(home), cwd });
  return sessions.map(({ agent }) => agent).toSorted();
}

test("the sessions of five agents are in the list of the new folder, and all of it is undone to the byte", async () => {
  writeAll(home);
  move();
  const places = placesOfHome(home);
  const before = contentOf(home);
  const plan = await relocateProject(home.project, target, { places });
  expect(plan.agents.map(({ agent, sessionIds }) => [agent, sessionIds.length])).toEqual(
    ["claude", "codex", "gemini", "pi", "opencode"].map((agent) => [agent, 1]),
  );
  expect(contentOf(home)).toEqual(before);
  const { trashId } = await relocateProject(home.project, target, { places, write: "in place" });
  const all = ["claude", "codex", "gemini", "opencode", "pi"];
  expect(await sessionsOf(target)).toEqual(all);
  expect(await sessionsOf(home.project)).toEqual([]);
  expect(existsSync(dirname(sessionPath(home)))).toBe(false);
  await restoreNativeSession(trashId ?? "", { places });
  expect(contentOf(home)).toEqual(before);
  expect(await sessionsOf(home.project)).toEqual(all);
});

test("every place that holds the path names the new folder, and the words of the conversation keep the old one", async () => {
  writeAll(home);
  move();
  await relocateProject(home.project, target, { places: placesOfHome(home), write: "in place" });
  const moved: LostHome = { ...home, project: target };
  const read = (path: string): string => readFileSync(path, "utf8");
  const records = read(sessionPath(moved))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(records.map(({ cwd }) => cwd)).toEqual([target, target]);
  expect(records[0].message.content).toBe(ASKED.content);
  expect(read(join(dirname(sessionPath(moved)), "memory", "MEMORY.md"))).toBe("Use tabs.\n");
  expect(read(sessionPath(moved).replace(".jsonl", "/subagents/agent-a1.jsonl"))).toContain(target);
  const [typed, other] = read(join(home.root, ".claude", "history.jsonl"))
    .trim()
    .split("\n");
  expect(JSON.parse(typed ?? "")).toMatchObject({ project: target, display: `look at ${home.project}` });
  expect(JSON.parse(other ?? "").project).toBe("/srv/other");
  expect(Object.keys(JSON.parse(read(join(home.root, ".claude.json"))).projects)).toEqual([
    target,
    "/srv/other",
  ]);
  const rollout = read(codexPath(home, "sessions/2026/11/20", rolloutName()));
  expect(
    rollout
      .split("\n")
      .slice(0, 2)
      .map((line) => JSON.parse(line).payload.cwd),
  ).toEqual([target, join(target, "src")]);
  expect(read(geminiPath(home, ".project_root"))).toBe(target);
  expect(
    read(
      piPath(home, piFolder(target), "2026-11-20T10-00-00-000Z_019f3a00-1b2c-7d3e-8f40-516273849501.jsonl"),
    ),
  ).toContain(JSON.stringify(target));
  using database = new DatabaseSync(opencodeDatabase(home), { readOnly: true });
  const row = { ...database.prepare("select directory, path, project_id from session").get() };
  expect(row).toEqual({ directory: target, path: target.slice(1), project_id: "global" });
  expect(database.prepare("select count(*) as count from message").get()?.count).toBe(2);
});

test("a fork of Codex begins at the same line of a file that became longer", async () => {
  const ROOT = "019f3a00-1b2c-7d3e-8f40-516273849502";
  const lines = (records: readonly object[]): string => toLines(records);
  const first = lines([header(home, { id: ROOT }), said("user", "one"), shown("one")]);
  const rest = lines([said("assistant", "two"), event({ type: "agent_message", message: "two" })]);
  writeText(codexPath(home, "sessions/2026/11/20", rolloutName(ROOT)), first + rest);
  const base = { thread_id: ROOT, end_ordinal_exclusive: null, end_byte_offset: Buffer.byteLength(first) };
  writeThread(home, [header(home, { history_base: base }), said("user", "three"), shown("three")]);
  move();
  await relocateProject(home.project, target, { places: placesOfHome(home), write: "in place" });
  const [head = ""] = readFileSync(codexPath(home, "sessions/2026/11/20", rolloutName()), "utf8").split("\n");
  const parent = readFileSync(codexPath(home, "sessions/2026/11/20", rolloutName(ROOT)));
  const { end_byte_offset } = JSON.parse(head).payload.history_base;
  expect(parent.subarray(end_byte_offset).toString("utf8")).toBe(rest);
});

test("a rollout that Codex compressed is changed inside, in all its parts, and a damaged one is left out and counted", async () => {
  const [FORK, DAMAGED] = ["019f3a00-1b2c-7d3e-8f40-516273849502", "019f3a00-1b2c-7d3e-8f40-516273849503"];
  const pathOf = (id?: string): string => codexPath(home, "sessions/2026/11/20", `${rolloutName(id)}.zst`);
  const write = (path: string, bytes: Buffer): void => writeText(path, bytes);
  const [start, rest] = [toLines([header(home), ...TALK]), toLines([said("user", "More."), shown("More.")])];
  const parts = [start, rest].map((text) => zstdCompressSync(Buffer.from(text)));
  write(pathOf(), Buffer.concat(parts));
  const base = { thread_id: THREAD, end_ordinal_exclusive: null, end_byte_offset: Buffer.byteLength(start) };
  const fork = [header(home, { id: FORK, history_base: base }), said("user", "three"), shown("three")];
  write(pathOf(FORK), zstdCompressSync(Buffer.from(toLines(fork))));
  const damaged = zstdCompressSync(Buffer.from(toLines([header(home, { id: DAMAGED }), ...TALK])));
  write(pathOf(DAMAGED), Buffer.concat([damaged, Buffer.from("no frame")]));
  move();
  const places = placesOfHome(home);
  const before = contentOf(home);
  const done = await relocateProject(home.project, target, { places, write: "in place" });
  expect(done.agents).toEqual([
    { agent: "codex", sessionIds: [THREAD, FORK], moved: 0, changed: 2, rows: 0, leftOut: [DAMAGED] },
  ]);
  expect(
    (await listNativeSessions({ places, cwd: target })).map(({ sessionId }) => sessionId).toSorted(),
  ).toEqual([THREAD, FORK]);
  const content = zstdDecompressSync(readFileSync(pathOf()));
  const head = JSON.parse(
    zstdDecompressSync(readFileSync(pathOf(FORK)))
      .toString("utf8")
      .split("\n")[0] ?? "",
  );
  expect(content.subarray(head.payload.history_base.end_byte_offset).toString("utf8")).toBe(rest);
  expect(head.payload.cwd).toBe(target);
  await restoreNativeSession(done.trashId ?? "", { places });
  expect(contentOf(home)).toEqual(before);
});

test("a project is not relocated while a conversation has one of its sessions open, or an agent works in it", async () => {
  writeAll(home);
  move();
  const places = placesOfHome(home);
  // The name of the program makes it count as an agent. An agent in the new folder blocks the relocation too.
  const program = join(home.root, "codex.mjs");
  writeFileSync(program, 'console.log("runs"); setInterval(() => undefined, 60_000);');
  const before = contentOf(home);
  const relocated = () => relocateProject(home.project, target, { places, write: "in place" });
  const lock = await lockNative({ agent: "pi", sessionId: PI_ID, places });
  await expect(relocated()).rejects.toMatchObject({ code: "session_live", details: { sessionId: PI_ID } });
  lock.release();
  const agent = spawn(process.execPath, [program], { cwd: target });
  try {
    await once(agent.stdout, "data");
    await expect(relocated()).rejects.toMatchObject({
      code: "session_live",
      message: `Codex is running in ${target} (process ${agent.pid})`,
    });
    expect(contentOf(home)).toEqual(before);
  } finally {
    const gone = once(agent, "exit");
    agent.kill("SIGKILL");
    await gone;
  }
  await relocated();
  expect(await sessionsOf(target)).toHaveLength(5);
  // The relocation leaves no lock behind.
  (await lockNative({ agent: "pi", sessionId: PI_ID, places })).release();
});

test("sessions of a folder whose name only begins alike stay where they are", async () => {
  writeText(sessionPath(home), toLines(talk(home, [ASKED, ANSWERED])));
  const beside = { ...home, project: `${home.project}-two` };
  writeText(sessionPath(beside, `${OTHER}.jsonl`), toLines(talk(beside, [ASKED, ANSWERED], OTHER)));
  writePi(beside, [piHeader(beside), ...PI_TALK]);
  const before = readFileSync(sessionPath(beside, `${OTHER}.jsonl`));
  move();
  const done = await relocateProject(home.project, target, { places: placesOfHome(home), write: "in place" });
  expect(done.agents.map(({ agent }) => agent)).toEqual(["claude"]);
  expect(readFileSync(sessionPath(beside, `${OTHER}.jsonl`))).toEqual(before);
});

test("a session that would take the place of another one is refused, and nothing changes", async () => {
  writeText(sessionPath(home), toLines(talk(home, [ASKED, ANSWERED])));
  move();
  writeText(sessionPath(home, undefined, folderName(target)), "{}\n");
  const before = contentOf(home);
  const places = placesOfHome(home);
  await expect(relocateProject(home.project, target, { places, write: "in place" })).rejects.toMatchObject({
    code: "conflict",
  });
  expect(contentOf(home)).toEqual(before);
});

test("a file that an agent wrote to since is not taken back without force, and is kept with it", async () => {
  writeAll(home);
  move();
  const places = placesOfHome(home);
  const before = contentOf(home);
  const { trashId } = await relocateProject(home.project, target, { places, write: "in place" });
  const history = join(home.root, ".claude", "history.jsonl");
  writeFileSync(history, `${readFileSync(history, "utf8")}{"display":"more"}\n`);
  await expect(restoreNativeSession(trashId ?? "", { places })).rejects.toMatchObject({ code: "conflict" });
  await restoreNativeSession(trashId ?? "", { places, force: true });
  expect(contentOf(home)).toEqual(before);
});

test.each([
  [
    "a folder that is not there",
    (root: string) => [join(root, "project"), join(root, "nowhere")],
    "not_found",
  ],
  ["a folder inside of the other", (root: string) => [root, join(root, "project")], "invalid"],
  [
    "a folder that no session names",
    (root: string) => [join(root, "never"), join(root, "project")],
    "not_found",
  ],
] as const)("%s is refused", async (_title, folders, code) => {
  writeAll(home);
  const [from = "", to = ""] = folders(home.root);
  await expect(relocateProject(from, to, { places: placesOfHome(home) })).rejects.toMatchObject({ code });
});
