/** Moves in which a program is killed at a random moment: the session is on one machine or both. */

import { rmSync } from "node:fs";
import { createRandom } from "../mutants/random.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { soakTest } from "../sizes/soak-test.ts";
import { killMove } from "./kill-move.ts";
import { MOVED_AGENTS } from "./machines.ts";

/** A move takes about half of it on a machine with nothing else to do. */
const LATEST_MS = 1_200;

soakTest("moves: killed at a random moment", { count: 200, batchSize: 10 }, async ({ seed, count }) => {
  const random = createRandom(seed);
  for (let round = 0; round < count; round += 1) {
    const agent = MOVED_AGENTS[round % MOVED_AGENTS.length] ?? "claude";
    const victim = random() < 0.5 ? "here" : "there";
    const afterMs = Math.round(random() * LATEST_MS);
    const root = scratchFolder("killed-move");
    try {
      await killMove(root, { agent, victim, afterMs });
    } catch (cause) {
      throw new Error(`${agent}, ${victim} killed after ${afterMs} ms`, { cause });
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }
});
