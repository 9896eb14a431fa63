/** The batches that each lane owes to its writer. */

import { expect, test } from "vitest";
import { owedIn } from "./redo-batches.ts";

test("a lane writes again what a stand-in wrote in it, and the only lane of a session writes everything again", () => {
  const owed = [
    { sequence: 1, lane: "critical" },
    { sequence: 2, lane: "supplementary" },
    { sequence: 3, lane: "critical" },
  ];
  expect(owedIn({ owed }, "critical").map(({ sequence }) => sequence)).toEqual([1, 3]);
  expect(owedIn({ owed }, "supplementary").map(({ sequence }) => sequence)).toEqual([2]);
  expect(owedIn({ owed }, "all")).toEqual(owed);
});
