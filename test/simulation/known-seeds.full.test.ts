/**
 * Seeds that once found a defect, each of which takes about a second of processor time, and a planted defect that is
 * found.
 */

import { expect, test } from "vitest";
import { failuresIn, firstFound, runSeeds } from "./run.ts";

/** Seeds of the area `edits`, with the defect that each of them found. */
const TELLING_SEEDS = [
  [220485263, "a deletion that met a full disk removed what it could not put back"],
  [220485312, "a title that met a full disk failed with the system's raw error"],
  [220485233, "an older state came back from the trash after the clock had been set back"],
  [220485275, "a fork gave the one before it, because a power cut brought a removed note back"],
  [1492632216, "an emptying that was cut off left the older of two states of a session"],
  [1492632225, "a restoration that met a full disk gave the session back and kept it in the trash"],
  [1492632264, "zeros in place of words that were not written stayed after a power cut"],
  [700050, "a deletion that was refused lay in the trash after a power cut"],
  [220485303, "a draft of a failed write was there again after a power cut"],
  [1139145723, "a title that was refused on a full disk was given after a power cut"],
  [20694834, "a line that was torn off held a zero and half an append after a power cut"],
  [1893060186, "a session that was deleted for good lay in the trash after a power cut"],
  [539317820, "a restoration that was refused gave a part of the session back after a power cut"],
] as const;

test.each(TELLING_SEEDS)("seed %d shows no more that %s", { timeout: 900_000 }, async (from) => {
  expect(failuresIn(await runSeeds({ area: "edits", from, count: 1 }))).toEqual([]);
});

const DEFECT = "a lease is not given back";

test("the simulation finds a lease that is not released, and finds it again with the same seed", {
  timeout: 900_000,
}, async () => {
  const found = await firstFound("runs", DEFECT, 10);
  expect(found).not.toBeNull();
  const again = await runSeeds({ area: "runs", from: found?.seed ?? 0, count: 1, defect: DEFECT });
  expect(again.map(({ seed, faults }) => ({ seed, fault: faults[0] }))).toEqual([found]);
});
