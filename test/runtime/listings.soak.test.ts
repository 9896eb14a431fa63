/** Two products, as a developer writes them, are each killed at 200 random moments. */

import { expect, test } from "vitest";
import { killTheDesk, killTheJobs } from "./harness/listings.ts";

test.each([
  ["a support desk", killTheDesk],
  ["a coding agent behind HTTP", killTheJobs],
])(
  "%s that is killed 200 times loses no question and answers none twice",
  { timeout: 3_600_000 },
  async (_, kill) => {
    const seed = Date.now();
    const { faults } = await kill({ kills: 200, seed });
    expect({ seed, faults }).toEqual({ seed, faults: [] });
  },
);
