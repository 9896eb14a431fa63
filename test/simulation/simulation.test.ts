import { describe, expect, test } from "vitest";
import { ALL_ROUNDS } from "../sizes/counts.ts";
import { AREAS, type Area } from "./areas.ts";
import { failuresIn, runSeeds } from "./run.ts";

/**
 * A seed takes some tenths of a second of processor time, twice as much with its replay. The programs are built once.
 */
const SEEDS: Readonly<Record<Area, number>> = { runs: 1, channels: 1, edits: 2 };
const SEEDS_OF_ALL: Readonly<Record<Area, number>> = { runs: 40, channels: 40, edits: 60 };
const TIMEOUT = { timeout: 900_000 };

describe.each(AREAS)("simulated %s", (area) => {
  test(
    "keep every promise under kills, standstills, cuts and set clocks, and replay identically",
    TIMEOUT,
    async () => {
      const count = (ALL_ROUNDS ? SEEDS_OF_ALL : SEEDS)[area];
      const results = await runSeeds({ area, from: 1, count, replay: true });
      expect(failuresIn(results)).toEqual([]);
      expect(new Set(results.map(({ hash }) => hash)).size).toBe(count);
    },
  );
});
