import { expect, test } from "vitest";
import { ALL_ROUNDS } from "../sizes/counts.ts";
import { DEFECTS } from "./defects.ts";
import { firstFound, runSeeds } from "./run.ts";

/** A seed takes three seconds of the processor. */
const SEEDS = ALL_ROUNDS ? 50 : 3;
const TIMEOUT = { timeout: 900_000 };

test(
  "sessions that processes share, are killed in, frozen and cut off keep every promise, and replay identically",
  TIMEOUT,
  async () => {
    const first = await runSeeds({ from: 1, count: SEEDS });
    expect(first.flatMap(({ seed, faults }) => faults.map((fault) => `${seed}: ${fault}`))).toEqual([]);
    expect(new Set(first.map(({ hash }) => hash)).size).toBe(SEEDS);
    expect(await runSeeds({ from: 2, count: 1 })).toEqual(first.slice(1, 2));
  },
);

test("the simulation finds a lease that fences nothing", TIMEOUT, async () => {
  const [defect] = DEFECTS;
  expect(await firstFound(defect?.name ?? "", 10)).not.toBeNull();
});
