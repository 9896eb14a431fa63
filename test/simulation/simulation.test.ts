import { expect, test } from "vitest";
import { rounds } from "../sizes/counts.ts";
import { DEFECTS } from "./defects.ts";
import { firstFound, runSeeds } from "./run.ts";

const SEEDS = rounds(200);
const TIMEOUT = { timeout: 900_000 };

test(
  "sessions that processes share, are killed in, frozen and cut off keep every promise, and replay identically",
  TIMEOUT,
  async () => {
    const first = await runSeeds({ from: 1, count: SEEDS });
    expect(first.flatMap(({ seed, faults }) => faults.map((fault) => `${seed}: ${fault}`))).toEqual([]);
    expect(new Set(first.map(({ hash }) => hash)).size).toBe(SEEDS);
    // Begun elsewhere: no seed knows of the seeds before it.
    const again = await runSeeds({ from: 20, count: 5 });
    expect(again).toEqual(first.slice(19, 24));
  },
);

test("the simulation finds a lease that fences nothing", TIMEOUT, async () => {
  const [defect] = DEFECTS;
  expect(await firstFound(defect?.name ?? "", 10)).not.toBeNull();
});
