/** Two products, as a developer writes them, are killed in the middle of their work. */

import { expect, test } from "vitest";
import { killTheDesk, killTheJobs } from "./harness/listings.ts";

const KILLS = 12;

test("a killed support desk loses no question, answers none twice, and uses each approval once", {
  timeout: 240_000,
}, async () => {
  const { faults, kills, questions } = await killTheDesk({ kills: KILLS, seed: 1 });
  expect(faults).toEqual([]);
  expect([kills, questions > 0]).toEqual([KILLS, true]);
});

test.each(["sqlite", "postgres"] as const)(
  "a killed coding agent behind HTTP on %s loses no job, answers none twice, and uses each approval once",
  {
    timeout: 240_000,
  },
  async (engine) => {
    const { faults, kills, questions } = await killTheJobs({ kills: KILLS, seed: 2, engine });
    expect(faults).toEqual([]);
    expect([kills, questions > 0]).toEqual([KILLS, true]);
  },
);
