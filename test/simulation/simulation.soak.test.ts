import { expect } from "vitest";
import { soakTest } from "../sizes/soak-test.ts";
import { DEFECTS, FOUND_DEFECTS } from "./defects.ts";
import { firstFound, runSeeds } from "./run.ts";

/** Seeds in which a planted defect must be found. */
const ENOUGH = 40;

soakTest(
  "sessions: simulated processes that are killed, frozen and cut off keep every promise",
  { count: 10_000, batchSize: 100 },
  async ({ seed, count }) => {
    const from = Math.abs(seed);
    const results = await runSeeds({ from, count });
    expect(results.filter(({ faults }) => faults.length > 0)).toEqual([]);
    const replayed = await runSeeds({ from, count });
    expect(replayed).toEqual(results);
    return `${results.reduce((sum, { steps }) => sum + steps, 0)} steps in the last batch`;
  },
);

soakTest(
  "sessions: the simulation finds planted defects",
  { count: FOUND_DEFECTS.length, batchSize: FOUND_DEFECTS.length },
  async () => {
    for (const name of FOUND_DEFECTS) {
      expect([name, await firstFound(name, ENOUGH)]).toEqual([name, expect.any(Number)]);
    }
    return `${FOUND_DEFECTS.length} of ${DEFECTS.length} defects are searched for`;
  },
);
