/** The soak kills at two hundred points. */

import { expect, test } from "vitest";
import { killMends } from "./killed-mends.ts";

const KILLS = 12;
const SEED = 20_261_130;

test(`lists and searches that are killed at ${KILLS} points while they mend the index leave one that equals a scan`, async () => {
  const { killed } = await killMends(KILLS, SEED);
  // Otherwise most kills would come after the work, and prove nothing.
  expect(killed).toBe(KILLS);
}, 600_000);
