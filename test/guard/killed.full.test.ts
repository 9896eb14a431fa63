/**
 * A run of the guard, and a restoration, are killed at every system call by which they change something: the agent's
 * files are the old ones or the new ones, every copy is as it was stored, and the repeated command completes.
 */

import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { filesBelow, type Places } from "@continuo/files";
import {
  emptyTrash,
  restoreGuardedSession,
  settleUnfinished,
  trashNativeSession,
} from "@continuo/native/editing";
import { onlyCopies, readLedger, runGuard, verifyGuard } from "@continuo/native/editing/guard";
import { expect, test } from "vitest";
import { type KillTarget, killAt, killPointsOf } from "../hand-off/kill-syscalls.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { momentsOfRun } from "../sizes/rotation.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";
import { claudeLines, DAY_MS, writeClaudeSession, writeGeminiSession } from "./sessions.ts";

const root = scratchFolder("guard-killed");
const places: Places = { home: join(root, "home"), env: {} };
const CLAUDE = "0b9c1a52-0000-4000-8000-000000000001";
const GEMINI = "1c9c1a52-0000-4000-8000-000000000002";

/** The folder is always the same, so that every run makes the same calls. */
function newHome(): void {
  rmSync(places.home, { recursive: true, force: true });
  mkdirSync(join(root, "tmp"), { recursive: true });
  writeClaudeSession(places.home, { id: CLAUDE, turns: 8, writtenMs: Date.now() - 29 * DAY_MS });
  writeGeminiSession(places.home, { id: GEMINI, turns: 8, writtenMs: Date.now() - 29 * DAY_MS });
}

async function killed(args: readonly string[]): Promise<KillTarget> {
  return {
    argv: [await bundledProgram("test/guard/guard-child.ts"), ...args],
    env: { HOME: places.home, TMPDIR: join(root, "tmp"), PATH: process.env.PATH ?? "" },
    below: `${places.home}/`,
  };
}

const guardPath = (): string => join(places.home, ".continuo/guard");

function treeOf(folder: string): Readonly<Record<string, string>> {
  const files = filesBelow(join(places.home, folder));
  return Object.fromEntries(files.map((path) => [path, readFileSync(path, "base64")]));
}

test("a run that is killed leaves every copy in its old or its new state", { timeout: 600_000 }, async () => {
  const prepare = async (): Promise<void> => {
    newHome();
    await runGuard({ places });
    // There are so many changes that the killed run packs the log.
    for (let at = 8; at < 22; at += 1) {
      const path = join(places.home, ".claude/projects/-work", `${CLAUDE}.jsonl`);
      appendFileSync(path, claudeLines(CLAUDE, at, at + 1));
      if (at < 21) await runGuard({ places });
    }
  };
  await prepare();
  const run = await killed(["run"]);
  const points = killPointsOf(run, root);
  expect(points.length).toBeGreaterThan(10);
  let kills = 0;
  for (const point of momentsOfRun(points)) {
    await prepare();
    const before = { ...treeOf(".claude"), ...treeOf(".gemini") };
    if (!killAt(point, run, root)) continue;
    kills += 1;
    expect([point, (await verifyGuard(places)).problems]).toEqual([point, []]);
    expect({ ...treeOf(".claude"), ...treeOf(".gemini") }).toEqual(before);
    await runGuard({ places });
    expect([point, readLedger(places).size, await verifyGuard(places)]).toMatchObject([
      point,
      2,
      { problems: [] },
    ]);
    rmSync(join(places.home, ".claude"), { recursive: true });
    await restoreGuardedSession(CLAUDE, { places });
    expect(treeOf(".claude")).toEqual(
      Object.fromEntries(Object.entries(before).filter(([path]) => path.includes("/.claude/"))),
    );
  }
  expect(kills).toBeGreaterThan(3);
  expect(readdirSync(guardPath()).filter((name) => name.startsWith("log-"))).toHaveLength(1);
});

test("a run that removes a dictionary is killed, and every other copy stays as it was stored", {
  timeout: 600_000,
}, async () => {
  const OTHER = "2d9c1a52-0000-4000-8000-000000000003";
  const prepare = async (): Promise<void> => {
    newHome();
    await runGuard({ places });
    writeClaudeSession(places.home, { id: OTHER, turns: 30, writtenMs: Date.now() - DAY_MS });
    await runGuard({ places });
    const path = join(places.home, ".claude/projects/-work", `${CLAUDE}.jsonl`);
    await trashNativeSession(path, { places });
    emptyTrash({ places });
  };
  await prepare();
  const run = await killed(["run"]);
  const points = killPointsOf(run, root);
  expect(points.length).toBeGreaterThan(10);
  let kills = 0;
  for (const point of momentsOfRun(points)) {
    await prepare();
    if (!killAt(point, run, root)) continue;
    kills += 1;
    expect([point, (await verifyGuard(places)).problems]).toEqual([point, []]);
    await runGuard({ places });
    expect([point, await verifyGuard(places)]).toMatchObject([point, { sessions: 2, problems: [] }]);
    expect([point, filesBelow(guardPath()).filter((file) => file.endsWith(".again"))]).toEqual([point, []]);
    // Only the dictionary of Gemini CLI's session remains.
    expect([point, readdirSync(join(guardPath(), "dictionaries")).length]).toEqual([point, 1]);
  }
  expect(kills).toBeGreaterThan(3);
});

test.each([CLAUDE, GEMINI])(
  "a restoration of %s that is killed can be repeated",
  { timeout: 600_000 },
  async (id) => {
    const prepare = async (): Promise<void> => {
      newHome();
      await runGuard({ places });
      rmSync(join(places.home, id === CLAUDE ? ".claude" : ".gemini/tmp/project/chats"), { recursive: true });
    };
    await prepare();
    const run = await killed(["restore", id]);
    const points = killPointsOf(run, root);
    expect(points.length).toBeGreaterThan(10);
    let kills = 0;
    for (const point of momentsOfRun(points)) {
      await prepare();
      if (!killAt(point, run, root)) continue;
      kills += 1;
      await settleUnfinished({ places });
      expect([point, (await verifyGuard(places)).problems]).toEqual([point, []]);
      // The restoration may have completed before the kill.
      const isBack = onlyCopies({ places, metIds: new Set() }).every(({ sessionId }) => sessionId !== id);
      if (!isBack) await restoreGuardedSession(id, { places, force: true });
      await runGuard({ places });
      expect([point, onlyCopies({ places, metIds: new Set() })]).toEqual([point, []]);
    }
    expect(kills).toBeGreaterThan(3);
  },
);
