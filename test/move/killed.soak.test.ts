/** Moves in which a program is killed at a random moment: the session is on one machine or on both. */

import { rmSync } from "node:fs";
import { scratchFolder } from "../scratch-folder.ts";
import { soakTest } from "../sizes/soak-test.ts";
import { randomFrom } from "../store/harness/random.ts";
import { killMove, lengthsOfMove } from "./kill-move.ts";
import { MOVED_AGENTS } from "./machines.ts";

/** A program that ended before its moment was not killed, so the round is repeated. */
const MOST_ROUNDS_A_KILL = 4;
/** The number of parallel rounds; each waits most of its time for the disk and for one program after another. */
const LANES = 4;

soakTest("moves: killed at a random moment", { count: 200, batchSize: 10 }, async ({ seed, count }) => {
  const random = randomFrom(seed);
  let [round, kills, underWay] = [0, 0, 0];
  // The moments are measured on this machine now, because a move takes ten times as long while other work runs.
  const measured = await Promise.all(
    Array.from({ length: LANES }, () => inScratch((root) => lengthsOfMove(root, "claude"))),
  );
  let lengths = measured.reduce((a, b) => (a.here > b.here ? a : b));
  const makeRound = async (): Promise<void> => {
    if (round === MOST_ROUNDS_A_KILL * count) throw new Error(`only ${kills} of ${round} rounds were kills`);
    const agent = MOVED_AGENTS[round % MOVED_AGENTS.length] ?? "claude";
    const victim = random() < 0.5 ? "here" : "there";
    const afterMs = Math.round(random() * lengths[victim]);
    round += 1;
    try {
      const { isKilled } = await inScratch((root) => killMove(root, { agent, victim, afterMs }));
      if (isKilled) kills += 1;
      else lengths = await inScratch((root) => lengthsOfMove(root, "claude"));
    } catch (cause) {
      throw new Error(`${agent}, ${victim} killed after ${afterMs} ms`, { cause });
    }
  };
  const runLane = async (): Promise<void> => {
    while (kills + underWay < count) {
      underWay += 1;
      await makeRound().finally(() => {
        underWay -= 1;
      });
    }
  };
  await Promise.all(Array.from({ length: LANES }, runLane));
});

async function inScratch<T>(work: (root: string) => Promise<T>): Promise<T> {
  const root = scratchFolder("killed-move");
  try {
    return await work(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
