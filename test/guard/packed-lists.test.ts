/**
 * The lists that the guard keeps of its copies: manifests and the log, in packed form and as older versions wrote them.
 */

import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { filesBelow, type Places } from "@continuo/files";
import { emptyTrash, restoreGuardedSession, trashNativeSession } from "@continuo/native/editing";
import { findCopy, readLedger, runGuard, verifyGuard } from "@continuo/native/editing/guard";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { claudeLines, writeClaudeSession } from "./sessions.ts";

const idOf = (at: number): string => `${(0x1a2b3c4d + at * 7_919).toString(16)}-0000-4000-8000-000000000000`;

let places: Places;
let guard: string;

beforeEach(() => {
  const home = scratchFolder("guard-lists");
  places = { home, env: {} };
  guard = join(home, ".continuo/guard");
});

const pathOf = (at: number): string => join(places.home, ".claude/projects/-work", `${idOf(at)}.jsonl`);

function writeSession(at: number, turns: number): string {
  return writeClaudeSession(places.home, { id: idOf(at), turns, writtenMs: Date.now() - 60_000 }).path;
}

const hashOf = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");
const sizeOf = (folder: string, names: readonly string[]): number =>
  names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

const problems = async (): Promise<readonly string[]> => (await verifyGuard(places)).problems;
const logLines = (): readonly string[] =>
  readFileSync(join(guard, "log.jsonl"), "utf8").trimEnd().split("\n");
const packedLogs = (): readonly string[] => readdirSync(guard).filter((name) => name.startsWith("log-"));

/**
 * Converts the folder to the form of older versions, which packed none of their lists and had a dictionary of one
 * session.
 */
function unpackLists(paths: readonly string[]): void {
  const texts = paths.map((_, at) => [idOf(at), JSON.stringify(findCopy(idOf(at), places))] as const);
  const ledger = JSON.stringify([...readLedger(places).values()]);
  for (const [id, text] of texts) {
    const path = join(guard, `sessions/claude/${id}.json`);
    rmSync(`${path}.zst`);
    writeFileSync(path, text);
  }
  rmSync(join(guard, "sessions.json.zst"));
  writeFileSync(join(guard, "sessions.json"), `${ledger}\n`);
  const head = readFileSync(paths[0] ?? "").subarray(0, 160 * 1024);
  const sha256 = hashOf(head);
  const dictionaries = [{ agent: "claude", sessionId: idOf(0), sha256, sizeBytes: head.length }];
  expect(readdirSync(join(guard, "dictionaries"))).toEqual([`${sha256}.zst`]);
  rmSync(join(guard, "dictionaries.json.zst"));
  writeFileSync(join(guard, "dictionaries.json"), JSON.stringify({ version: 1, dictionaries }));
}

test("a folder of an older version is read, verified and restored as before, and packed where it changes", async () => {
  const paths = [writeSession(0, 80), writeSession(1, 2), writeSession(2, 2)];
  await runGuard({ places });
  unpackLists(paths);
  expect(await verifyGuard(places)).toMatchObject({ sessions: 3, problems: [] });
  expect(await runGuard({ places })).toMatchObject({ stored: 0, unchanged: 3 });
  appendFileSync(paths[1] ?? "", claudeLines(idOf(1), 2, 4));
  expect(await runGuard({ places })).toMatchObject({ stored: 1, unchanged: 2 });
  expect(readdirSync(join(guard, "sessions/claude")).sort()).toEqual(
    [`${idOf(0)}.json`, `${idOf(1)}.json.zst`, `${idOf(2)}.json`].sort(),
  );
  expect(existsSync(join(guard, "sessions.json"))).toBe(false);
  expect(await problems()).toEqual([]);
  for (const [at, path] of paths.entries()) {
    const bytes = readFileSync(path);
    rmSync(path);
    await restoreGuardedSession(idOf(at), { places });
    expect(readFileSync(path)).toEqual(bytes);
  }
  for (const path of paths) await trashNativeSession(path, { places });
  emptyTrash({ places });
  await runGuard({ places });
  expect(filesBelow(join(guard, "sessions"))).toEqual([]);
  expect(filesBelow(join(guard, "pieces"))).toEqual([]);
});

test("a manifest that a killed run left in both forms is the newer one, and both go with the copy", async () => {
  const path = writeSession(0, 4);
  await runGuard({ places });
  const older = JSON.stringify(findCopy(idOf(0), places));
  appendFileSync(path, claudeLines(idOf(0), 4, 8));
  await runGuard({ places });
  writeFileSync(join(guard, `sessions/claude/${idOf(0)}.json`), older);
  expect(findCopy(idOf(0), places).info.sizeBytes).toBeGreaterThan(JSON.parse(older).info.sizeBytes);
  expect(await verifyGuard(places)).toMatchObject({ sessions: 1, problems: [] });
  await trashNativeSession(path, { places });
  emptyTrash({ places });
  await runGuard({ places });
  expect(filesBelow(join(guard, "sessions"))).toEqual([]);
});

/** Grows four sessions by turns, with a run after each turn. The log then has more lines than stay unpacked. */
async function growing(turns: number): Promise<readonly string[]> {
  const paths = [0, 1, 2, 3].map((at) => writeSession(at, 2));
  for (let turn = 1; turn <= turns; turn += 1) {
    for (const [at, path] of paths.entries())
      appendFileSync(path, claudeLines(idOf(at), turn * 2, turn * 2 + 2));
    await runGuard({ places });
  }
  return paths;
}

test("the log of sessions that grow keeps only the needed lines, and its chain stays valid", async () => {
  await growing(30);
  // 124 changes were written.
  expect(logLines().length).toBeLessThan(20);
  expect(packedLogs()).toHaveLength(1);
  expect(sizeOf(guard, packedLogs())).toBeLessThan(500);
  expect(await problems()).toEqual([]);
});

test("packed lines of removed sessions are removed, and those of others stay", async () => {
  const [first = ""] = await growing(4);
  await trashNativeSession(first, { places });
  emptyTrash({ places });
  await runGuard({ places });
  for (let turn = 0; turn < 6; turn += 1) {
    for (const at of [1, 2, 3]) appendFileSync(pathOf(at), claudeLines(idOf(at), 20 + turn, 21 + turn));
    await runGuard({ places });
  }
  expect(await verifyGuard(places)).toMatchObject({ sessions: 3, problems: [] });
  // A manifest that is put back without its session contradicts the log.
  const back = JSON.stringify(findCopy(idOf(1), places)).replaceAll(idOf(1), idOf(0));
  writeFileSync(join(guard, `sessions/claude/${idOf(0)}.json`), back);
  expect((await problems()).join("\n")).toContain(`is not what the guard's log says of claude:${idOf(0)}`);
});

test.each([
  ["changed", (path: string) => writeFileSync(path, readFileSync(path).toReversed())],
  ["taken away", (path: string) => rmSync(path)],
] as const)("packed lines that were %s are reported, and the log does not change", async (_, damage) => {
  await growing(6);
  damage(join(guard, packedLogs()[0] ?? ""));
  expect((await problems())[0]).toBe("line 1 of the guard's log does not follow the line before it");
  const before = packedLogs();
  for (let turn = 0; turn < 8; turn += 1) {
    for (const at of [0, 1, 2, 3]) appendFileSync(pathOf(at), claudeLines(idOf(at), 40 + turn, 41 + turn));
    await runGuard({ places });
  }
  expect(packedLogs()).toEqual(before);
  expect(await problems()).toEqual(["line 1 of the guard's log does not follow the line before it"]);
});

test("a manifest that changed after its line was packed is found", async () => {
  await growing(6);
  const changed = JSON.stringify(findCopy(idOf(2), places)).replace("/work", "/wirk");
  rmSync(join(guard, `sessions/claude/${idOf(2)}.json.zst`));
  writeFileSync(join(guard, `sessions/claude/${idOf(2)}.json`), changed);
  expect((await problems()).join("\n")).toContain(`is not what the guard's log says of claude:${idOf(2)}`);
});

test("after a run that was killed before its manifest, the earlier line is valid, even in packed lines", async () => {
  const path = writeSession(0, 4);
  await runGuard({ places });
  // The second run was killed before its manifest, and then the agent deleted the session.
  const previous = hashOf(logLines().at(-1) ?? "");
  const line = { at: "2026-06-01T00:00:00.000Z", what: "stored", agent: "claude", sessionId: idOf(0) };
  appendFileSync(
    join(guard, "log.jsonl"),
    `${JSON.stringify({ ...line, manifest: hashOf("new"), previous })}\n`,
  );
  rmSync(path);
  for (let turn = 0; turn < 20; turn += 1) {
    writeSession(1, 2 + turn);
    await runGuard({ places });
  }
  expect(packedLogs()).toHaveLength(1);
  expect(await problems()).toEqual([]);
});
