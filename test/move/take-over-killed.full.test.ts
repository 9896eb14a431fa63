/**
 * A take-over is killed at every system call by which it changes something: the next one continues it, and the session
 * is placed once.
 */

import { cpSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { takeOver } from "@continuo/agents/handoff/mirroring";
import { isContinuoError } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { listNativeSessions } from "@continuo/native";
import { settleUnfinished } from "@continuo/native/editing";
import { findMirror } from "@continuo/native/editing/mirrors";
import { expect, test } from "vitest";
import { killAt, killPointsOf } from "../hand-off/kill-syscalls.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { momentsOfRun } from "../sizes/rotation.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";
import { changeTree, makeMachines, shownIn } from "./machines.ts";
import { mirrorOnce } from "./mirror-once.ts";

const root = scratchFolder("take-over-killed");
const machines = makeMachines(root);
const placesOn = (machine: "here" | "there"): Places => ({
  home: join(root, machine),
  env: { PATH: process.env.PATH },
});
const [here, there] = [placesOn("here"), placesOn("there")];
const into = join(root, "there", "timer");

const AS_IT_IS = { recursive: true, verbatimSymlinks: true } as const;

/** The folder is always the same, so that every run makes the same calls. */
function newHome(mirrored: string): void {
  rmSync(join(root, "there"), { recursive: true, force: true });
  cpSync(mirrored, join(root, "there"), AS_IT_IS);
}

/** The person repeats the call; if the first call had already completed, the second one reports this. */
async function takeOverAgain(name: string): Promise<"placed" | "placed before"> {
  let failure: unknown;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    try {
      await takeOver(name, { places: there, into, now: new Date() });
      return "placed";
    } catch (error) {
      if (isContinuoError(error, "conflict") && error.message.includes("taken over before"))
        return "placed before";
      failure = error;
      // Git continues for a moment after the program that started it was killed.
      await sleep(RETRY_MS);
    }
  }
  throw failure;
}

const ATTEMPTS = 3;
const RETRY_MS = 300;

test.each(["without", "with"] as const)(
  "a killed take-over %s a work tree is continued by the next one, and the session is there once",
  async (workTree) => {
    rmSync(join(root, "there/.continuo"), { recursive: true, force: true });
    if (workTree === "with") changeTree(machines.here);
    const clean = shownIn(machines.there);
    const name = await mirrorOnce(here, there, workTree);
    const mirrored = join(root, `mirrored-${workTree}`);
    cpSync(join(root, "there"), mirrored, AS_IT_IS);
    mkdirSync(join(root, "tmp"), { recursive: true });
    const run = {
      argv: [await bundledProgram("test/move/take-over-child.ts"), name, into],
      env: { HOME: there.home, TMPDIR: join(root, "tmp"), PATH: process.env.PATH ?? "" },
      below: `${there.home}/`,
    };
    newHome(mirrored);
    const points = killPointsOf(run, root);
    expect(points.length).toBeGreaterThan(20);
    const tree = workTree === "with" ? shownIn(machines.here) : clean;
    const seen = new Map<string, number>();
    for (const point of momentsOfRun(points)) {
      newHome(mirrored);
      if (!killAt(point, run, root)) continue;
      const outcome = await takeOverAgain(name);
      seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
      await settleUnfinished({ places: there });
      const rows = await listNativeSessions({ places: there });
      const { takenOver } = findMirror(name, there);
      expect([point, rows.map(({ sessionId }) => sessionId)]).toEqual([
        point,
        [takenOver?.session?.sessionId],
      ]);
      expect(readFileSync(rows[0]?.location ?? "", "utf8")).toContain("It stops now.");
      expect([point, shownIn(machines.there)]).toEqual([point, tree]);
      expect([point, await takeOverAgain(name)]).toEqual([point, "placed before"]);
    }
    newHome(mirrored);
    expect(seen.get("placed")).toBeGreaterThan(5);
  },
  600_000,
);
