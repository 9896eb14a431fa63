/**
 * A take-over killed at every system call by which it changes something: the next one continues it, and the session is placed
 * once.
 */

import { cpSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { takeOver } from "@continuo/agents/handoff/mirroring";
import { isContinuoError } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { listNativeSessions } from "@continuo/native";
import { settleUnfinished } from "@continuo/native/editing";
import { findMirror } from "@continuo/native/editing/mirrors";
import { expect, test } from "vitest";
import { killAt, killPointsOf } from "../hand-off/kill-syscalls.ts";
import { sessionPath, talk } from "../lost/claude-recipes.ts";
import { makeLostHome, placesOfHome, toLines, writeText } from "../lost/recipe.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { momentsOfRun } from "../sizes/rotation.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";
import { mirrorOnce } from "./mirror-once.ts";

const root = scratchFolder("take-over-killed");
const there: Places = { home: join(root, "there"), env: {} };
const into = join(there.home, "timer");

/** Always the same folder, so that every run makes the same calls. */
function newHome(): void {
  rmSync(there.home, { recursive: true, force: true });
  mkdirSync(into, { recursive: true });
  cpSync(join(root, "mirrored"), join(there.home, ".continuo"), { recursive: true });
}

/** A person asks again; a call that had come to its end says so. */
async function takeOverAgain(name: string): Promise<"placed" | "placed before"> {
  try {
    await takeOver(name, { places: there, into, now: new Date() });
    return "placed";
  } catch (error) {
    if (isContinuoError(error, "conflict")) return "placed before";
    throw error;
  }
}

test("a take-over that is killed is continued by the next one, and the session is there once", {
  timeout: 600_000,
}, async () => {
  const home = makeLostHome(join(root, "here"));
  const said = [
    { role: "user", content: "Make the timer stop" },
    { role: "assistant", content: "It stops now." },
  ] as const;
  writeText(sessionPath(home), toLines(talk(home, said)));
  mkdirSync(join(root, "tmp"));
  const name = await mirrorOnce(placesOfHome(home), there);
  cpSync(join(there.home, ".continuo"), join(root, "mirrored"), { recursive: true });
  const run = {
    argv: [await bundledProgram("test/move/take-over-child.ts"), name, into],
    env: { HOME: there.home, TMPDIR: join(root, "tmp"), PATH: process.env.PATH ?? "" },
    below: `${there.home}/`,
  };
  newHome();
  const points = killPointsOf(run, root);
  expect(points.length).toBeGreaterThan(20);
  const seen = new Map<string, number>();
  for (const point of momentsOfRun(points)) {
    newHome();
    if (!killAt(point, run, root)) continue;
    const outcome = await takeOverAgain(name);
    seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
    await settleUnfinished({ places: there });
    const rows = await listNativeSessions({ places: there });
    const { takenOver } = findMirror(name, there);
    expect([point, rows.map(({ sessionId }) => sessionId)]).toEqual([point, [takenOver?.session?.sessionId]]);
    expect(readFileSync(rows[0]?.location ?? "", "utf8")).toContain("It stops now.");
    expect([point, await takeOverAgain(name)]).toEqual([point, "placed before"]);
  }
  expect(seen.get("placed")).toBeGreaterThan(5);
});
