/**
 * A mirror with the changes of the work tree: the clone that continues the session has them as they were after the last
 * turn.
 */

import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { ask } from "./grow.ts";
import { changeTree, type Machines, makeMachines, shownIn } from "./machines.ts";
import { follow, type MirrorCommand, rowsOn, stopped } from "./mirror.ts";

/** The state that was read after all earlier messages arrived. */
async function untilTreeOf(following: MirrorCommand, sinceMs: number): Promise<void> {
  await following.until(({ workTree }) => Date.parse(workTree?.readAt ?? "") >= sinceMs);
}

async function takeOver(machines: Machines, ...more: readonly string[]): ReturnType<Machines["on"]> {
  const [mirror] = await rowsOn(machines, "there");
  const id = mirror?.sessionId ?? "";
  return await machines.on("there", ["move", id, "--take-over", "--into", "timer", "--json", ...more]);
}

test("the changes after the last turn are in the clone that continues the session", async () => {
  const machines = makeMachines(scratchFolder("mirror-tree"));
  const following = follow(machines);
  await untilTreeOf(following, 0);
  const changedMs = Date.now();
  changeTree(machines.here);
  ask(machines, "And make it ring");
  await untilTreeOf(following, changedMs);
  const tree = shownIn(machines.here);
  await stopped(following.child, "SIGKILL");
  const taken = await takeOver(machines);
  expect([taken.code, taken.stderr]).toEqual([0, ""]);
  expect(JSON.parse(taken.stdout)).toMatchObject({
    cwd: machines.there.folder,
    workTree: machines.there.folder,
  });
  expect(shownIn(machines.there)).toEqual(tree);
});

test("a clone with changes of its own is refused, and the session can continue without the work tree", async () => {
  const machines = makeMachines(scratchFolder("mirror-tree-refused"));
  changeTree(machines.here);
  const following = follow(machines);
  await untilTreeOf(following, 0);
  await stopped(following.child, "SIGKILL");
  machines.there.write("README.md", "of another person\n");
  const tree = shownIn(machines.there);
  const refused = await takeOver(machines);
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining("changes of its own")]);
  expect(shownIn(machines.there)).toEqual(tree);
  expect(await rowsOn(machines, "there")).toMatchObject([{ problems: [{ code: "mirror" }] }]);
  const taken = await takeOver(machines, "--no-work-tree");
  expect([taken.code, taken.stderr]).toEqual([0, ""]);
  expect(JSON.parse(taken.stdout)).toMatchObject({ cwd: machines.there.folder, workTree: null });
  expect(shownIn(machines.there)).toEqual(tree);
});
