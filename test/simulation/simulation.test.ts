import { describe, expect, test } from "vitest";
import { ALL_ROUNDS } from "../sizes/counts.ts";
import { AREAS, type Area } from "./areas.ts";
import { failuresIn, firstFound, runSeeds } from "./run.ts";

/** A seed takes some tenths of a second of the processor, twice of that with its replay. */
const SEEDS: Readonly<Record<Area, number>> = { runs: 2, channels: 2, edits: 3 };
const COUNT_OF_ALL = 20;
const TIMEOUT = { timeout: 900_000 };

describe.each(AREAS)("simulated %s", (area) => {
  test(
    "keep every promise under kills, standstills, cuts and set clocks, and replay identically",
    TIMEOUT,
    async () => {
      const count = SEEDS[area] * (ALL_ROUNDS ? COUNT_OF_ALL : 1);
      const results = await runSeeds({ area, from: 1, count, replay: true });
      expect(failuresIn(results)).toEqual([]);
      expect(new Set(results.map(({ hash }) => hash)).size).toBe(count);
    },
  );
});

const DEFECT = "a lease is not given back";

test("a lease that is not given back is found, and the same seed finds it again", TIMEOUT, async () => {
  const found = await firstFound("runs", DEFECT, 10);
  expect(found).not.toBeNull();
  const again = await runSeeds({ area: "runs", from: found?.seed ?? 0, count: 1, defect: DEFECT });
  expect(again.map(({ seed, faults }) => ({ seed, fault: faults[0] }))).toEqual([found]);
});
