import { describe, expect, test } from "vitest";
import { ALL_ROUNDS } from "../sizes/counts.ts";
import { AREAS, type Area } from "./areas.ts";
import { failuresIn, firstFound, runSeeds } from "./run.ts";

/** A seed of the first two takes some tenths of a second of the processor, twice of that with its replay. */
const SEEDS: Readonly<Record<Area, number>> = { runs: 4, channels: 4, edits: 6 };
const COUNT_OF_ALL = 10;
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

test("a lease that is not given back is found, and the same seed finds it again", TIMEOUT, async () => {
  const found = await firstFound("runs", "a lease is not given back", 10);
  expect(found).not.toBeNull();
  expect(await firstFound("runs", "a lease is not given back", 10)).toEqual(found);
});
