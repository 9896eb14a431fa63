/**
 * Moves in which a program is killed: the session is on one machine or on both, and the same command completes the
 * move.
 */

import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { killMove } from "./kill-move.ts";
import { MOVED_AGENTS } from "./machines.ts";

/** The moments range from before the connection to after the confirmation. */
const MOMENTS = [150, 350, 500, 620, 740];

test.each(
  MOVED_AGENTS.flatMap(
    (agent, at) =>
      [
        [agent, "here", MOMENTS[at] ?? 0],
        [agent, "there", MOMENTS[(at + 2) % MOMENTS.length] ?? 0],
      ] as const,
  ),
)("a session of %s is not lost when the program %s is killed after %i ms", async (agent, victim, afterMs) => {
  const { isMarked, there } = await killMove(scratchFolder("killed-move"), { agent, victim, afterMs });
  expect([isMarked, there]).toSatisfy(([marked, count]) => count === 1 || (count === 0 && marked === false));
});
