/** Dictionaries of the guard: no words remain of a session that is deleted for good, and damage is found. */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { filesBelow, type Places } from "@continuo/files";
import { emptyTrash, restoreGuardedSession, trashNativeSession } from "@continuo/native/editing";
import { runGuard, verifyGuard } from "@continuo/native/editing/guard";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { writeClaudeSession } from "./sessions.ts";

const [FIRST, SECOND] = ["0b9c1a52-0000-4000-8000-000000000001", "1c9c1a52-0000-4000-8000-000000000002"];
const MARK = Buffer.from([0x5d, 0x2a, 0x4d, 0x18]);

let places: Places;
let guard: string;

beforeEach(() => {
  const home = scratchFolder("guard-dictionaries");
  places = { home, env: {} };
  guard = join(home, ".continuo/guard");
});

const write = (id: string, writtenMs: number) =>
  writeClaudeSession(places.home, { id, turns: 20, writtenMs });
const hashOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
const sizeOf = (paths: readonly string[]): number =>
  paths.reduce((sum, path) => sum + readFileSync(path).length, 0);
const marked = (): readonly string[] =>
  filesBelow(join(guard, "pieces")).filter((path) => readFileSync(path).subarray(0, 4).equals(MARK));

test("the first session gets a dictionary, which is removed with its copy", async () => {
  const first = write(FIRST, Date.now() - 60_000);
  await runGuard({ places });
  const second = write(SECOND, Date.now() - 50_000);
  await runGuard({ places });
  const bytes = readFileSync(second.path);
  expect(marked().length).toBeGreaterThan(1);
  expect(readdirSync(join(guard, "dictionaries"))).toHaveLength(2);
  await trashNativeSession(first.path, { places });
  emptyTrash({ places });
  await runGuard({ places });
  expect(readdirSync(join(guard, "dictionaries"))).toEqual([]);
  expect(marked()).toEqual([]);
  expect(await verifyGuard(places)).toMatchObject({ sessions: 1, problems: [] });
  rmSync(second.path);
  await restoreGuardedSession(SECOND, { places });
  expect(readFileSync(second.path)).toEqual(bytes);
});

test("a damaged dictionary is found, and nothing is restored with it", async () => {
  const { path } = write(FIRST, Date.now() - 60_000);
  await runGuard({ places });
  rmSync(path);
  const [name = ""] = readdirSync(join(guard, "dictionaries"));
  writeFileSync(join(guard, "dictionaries", name), zstdCompressSync(Buffer.from("other words")));
  const { problems } = await verifyGuard(places);
  expect(problems[0]).toContain(`${name} is damaged`);
  await expect(restoreGuardedSession(FIRST, { places })).rejects.toMatchObject({ code: "corrupt" });
});

test("a copy that was made without a dictionary is read as before", async () => {
  const { path } = write(FIRST, Date.now() - 60_000);
  const bytes = readFileSync(path);
  await runGuard({ places });
  for (const piece of marked()) {
    const content = [bytes, ...filesBelow(join(places.home, ".claude")).map((one) => readFileSync(one))];
    const own = content.find((one) => piece.includes(hashOf(one)));
    if (own !== undefined) writeFileSync(piece, zstdCompressSync(own));
  }
  expect(marked()).toEqual([]);
  rmSync(join(guard, "dictionaries"), { recursive: true });
  rmSync(join(guard, "dictionaries.json.zst"));
  rmSync(path);
  await restoreGuardedSession(FIRST, { places });
  expect(readFileSync(path)).toEqual(bytes);
});

test("a session that grows is in the dictionary once, and earlier dictionaries stay readable", async () => {
  for (let turns = 4; turns <= 40; turns += 4) {
    writeClaudeSession(places.home, { id: FIRST, turns, writtenMs: Date.now() - 60_000 + turns });
    await runGuard({ places });
  }
  const { path } = write(SECOND, Date.now());
  await runGuard({ places });
  const own = sizeOf(filesBelow(join(places.home, ".claude/projects")));
  expect(sizeOf(filesBelow(join(guard, "dictionaries")))).toBeLessThan(own / 2);
  expect(await verifyGuard(places)).toMatchObject({ sessions: 2, problems: [] });
  const bytes = readFileSync(path);
  rmSync(path);
  await restoreGuardedSession(SECOND, { places });
  expect(readFileSync(path)).toEqual(bytes);
});

test("a damaged dictionary in the middle is found, and nothing that needs it is restored", async () => {
  write(FIRST, Date.now() - 60_000);
  await runGuard({ places });
  const [first = ""] = readdirSync(join(guard, "dictionaries"));
  const { path } = write(SECOND, Date.now() - 50_000);
  await runGuard({ places });
  rmSync(path);
  writeFileSync(join(guard, "dictionaries", first), zstdCompressSync(Buffer.from("other words")));
  expect((await verifyGuard(places)).problems.length).toBeGreaterThan(2);
  await expect(restoreGuardedSession(SECOND, { places })).rejects.toMatchObject({ code: "corrupt" });
});
