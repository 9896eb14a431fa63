/**
 * A relocation, and its undo, are killed at every system call by which they change something. The home of all five
 * agents is in the state before or after the change, and the repeated command completes.
 */

import { mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { listNativeSessions } from "@continuo/native";
import { relocateProject, restoreNativeSession, settleUnfinished } from "@continuo/native/editing";
import { expect, test } from "vitest";
import { type KillTarget, killAt, killPointsOf } from "../hand-off/kill-syscalls.ts";
import { contentOf, makeLostHome, placesOfHome } from "../lost/recipe.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { momentsOfRun } from "../sizes/rotation.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";
import { writeAll } from "./five-agents.ts";

const root = scratchFolder("relocate-killed");
const home = { root: join(root, "home"), project: join(root, "home", "project") };
const places = placesOfHome(home);
const target = join(home.root, "work", "renamed project");

/** The folder is always the same, so that every run makes the same calls. */
function newHome(): void {
  rmSync(home.root, { recursive: true, force: true });
  mkdirSync(join(root, "tmp"), { recursive: true });
  makeLostHome(home.root);
  writeAll(home);
  mkdirSync(dirname(target), { recursive: true });
  renameSync(home.project, target);
}

async function killed(...args: readonly string[]): Promise<KillTarget> {
  return {
    argv: [await bundledProgram("test/relocate/relocate-child.ts"), ...args],
    env: { HOME: home.root, TMPDIR: join(root, "tmp"), PATH: process.env.PATH ?? "" },
    below: `${home.root}/`,
  };
}

const countIn = async (cwd: string): Promise<number> => (await listNativeSessions({ places, cwd })).length;

/** Returns the state of the home. All sessions must be at one of the two folders, and never divided between them. */
async function stateNow(): Promise<string> {
  await settleUnfinished({ places });
  const [old, fresh] = [await countIn(home.project), await countIn(target)];
  return old === 5 && fresh === 0 ? "before" : old === 0 && fresh === 5 ? "after" : `${old} and ${fresh}`;
}

test("a relocation that is killed leaves all five agents as they were, or all at the new folder", {
  timeout: 600_000,
}, async () => {
  newHome();
  const run = await killed("relocate", home.project, target);
  const points = killPointsOf(run, root);
  expect(points.length).toBeGreaterThan(20);
  const seen = new Map<string, number>();
  for (const point of momentsOfRun(points)) {
    newHome();
    const before = contentOf(home);
    if (!killAt(point, run, root)) continue;
    const state = await stateNow();
    seen.set(state, (seen.get(state) ?? 0) + 1);
    expect([point, ["before", "after"].includes(state) ? null : state]).toEqual([point, null]);
    if (state === "after") continue;
    expect([point, contentOf(home)]).toEqual([point, before]);
    const { trashId } = await relocateProject(home.project, target, { places, write: "in place" });
    expect([point, await stateNow()]).toEqual([point, "after"]);
    await restoreNativeSession(trashId ?? "", { places });
    expect([point, contentOf(home)]).toEqual([point, before]);
  }
  expect(seen.get("before")).toBeGreaterThan(5);
});

test("an undo that is killed can be repeated", { timeout: 600_000 }, async () => {
  const prepare = async (): Promise<string> => {
    newHome();
    const { trashId } = await relocateProject(home.project, target, { places, write: "in place" });
    return trashId ?? "";
  };
  const trashId = await prepare();
  const run = await killed("restore", trashId);
  const points = killPointsOf(run, root);
  expect(points.length).toBeGreaterThan(20);
  let kills = 0;
  for (const point of momentsOfRun(points)) {
    const id = await prepare();
    const again = { ...run, argv: [...run.argv.slice(0, -1), id] };
    if (!killAt(point, again, root)) continue;
    kills += 1;
    const state = await stateNow();
    expect([point, ["before", "after"].includes(state) ? null : state]).toEqual([point, null]);
    if (state === "after") await restoreNativeSession(id, { places });
    expect([point, await stateNow()]).toEqual([point, "before"]);
  }
  expect(kills).toBeGreaterThan(5);
});
