import { availableParallelism } from "node:os";
import { expect } from "vitest";
import { soakTest } from "../sizes/soak-test.ts";
import { AREAS } from "./areas.ts";
import { DEFECTS_OF, FOUND_DEFECTS } from "./defects/index.ts";
import { failuresIn, firstFound, runSeeds } from "./run.ts";

/** Seeds in which a planted defect must be found. */
const ENOUGH = 40;
/** The three areas together try more than 10,000 seeds. */
const SEEDS_OF_AN_AREA = 3_400;
/** A batch takes some minutes on a busy machine; an interrupted run loses at most one batch. */
const BATCH = 100;

for (const area of AREAS) {
  soakTest(
    `simulation: ${area} that are killed, cut and starved keep every promise, and each seed replays identically`,
    { count: SEEDS_OF_AN_AREA, batchSize: BATCH },
    async ({ seed, count }) => {
      const parts = Math.min(availableParallelism(), count);
      const share = Math.ceil(count / parts);
      const from = Math.abs(seed) + 1;
      const results = await Promise.all(
        Array.from({ length: parts }, (_, n) =>
          runSeeds({ area, from: from + n * share, count: Math.min(share, count - n * share), replay: true }),
        ),
      );
      expect(failuresIn(results.flat())).toEqual([]);
      return `${results.flat().reduce((sum, { steps }) => sum + steps, 0)} steps in the last batch`;
    },
  );

  const found = DEFECTS_OF[area].filter(({ name }) => FOUND_DEFECTS.has(name));
  if (found.length === 0) continue;
  soakTest(
    `simulation: planted defects of ${area} are found`,
    { count: found.length, batchSize: found.length },
    async () => {
      const missed: string[] = [];
      for (const { name } of found) if ((await firstFound(area, name, ENOUGH)) === null) missed.push(name);
      expect(missed).toEqual([]);
      return `${found.length} of ${DEFECTS_OF[area].length} defects are searched for`;
    },
  );
}
