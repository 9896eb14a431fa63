/** Two products, as a developer writes them, are each killed at 200 random moments. */

import { expect, test } from "vitest";
import { killTheDesk, killTheJobs } from "./harness/listings.ts";

const KILLS = Number(process.env.CONTINUO_KILLS ?? 200);

test.for([
  ["a support desk", "sqlite", killTheDesk],
  ["a support desk", "postgres", killTheDesk],
  ["a coding agent behind HTTP", "sqlite", killTheJobs],
  ["a coding agent behind HTTP", "postgres", killTheJobs],
] as const)(
  `%s on %s that is killed ${KILLS} times loses no question and answers none twice`,
  { timeout: 3_600_000 },
  async ([, engine, kill], { annotate }) => {
    const seed = Date.now();
    const { faults, questions, approvals } = await kill({ kills: KILLS, seed, engine });
    await annotate(`${questions} questions and ${approvals} approvals were answered`);
    expect({ seed, faults }).toEqual({ seed, faults: [] });
    // Most of the processes do something before they are killed.
    expect(questions).toBeGreaterThan(KILLS / 10);
    expect(approvals).toBeGreaterThan(KILLS / 10);
  },
);
