/** The stamps that show whether a list of sessions is still as it was read. */

import { expect, test } from "vitest";
import { changedPaths, type ListStamps } from "./list-stamps.ts";

const WRITTEN_MS = 1_000_000;
const LATER_MS: number = WRITTEN_MS + 3_600_000;

/** Each path has a size; the times and the inode are equal. */
function stamps(names: readonly string[], sizes: readonly number[]): ListStamps {
  return { names, numbers: new Float64Array(sizes.flatMap((size) => [size, WRITTEN_MS, WRITTEN_MS, 7])) };
}

test("a list needs a new read if a place appeared, went or has another name, and otherwise only its changed paths", () => {
  const before = stamps(["place"], [1, 10, 20]);
  const changed = (now: ListStamps, beganMs = LATER_MS) =>
    changedPaths(["/first", "/second"], [before, now], beganMs);
  expect(changed(before)).toEqual([]);
  expect(changed(stamps(["place"], [1, 10, 21]))).toEqual(["/second"]);
  expect(changed(stamps(["place"], [2, 11, 20]))).toEqual(["place", "/first"]);
  expect(changed(stamps(["place", "new"], [1, 1, 10, 20]))).toBeNull();
  expect(changed(stamps([], [10, 20]))).toBeNull();
  expect(changed(stamps(["other"], [1, 10, 20]))).toBeNull();
  // A later change may have the same time as this one.
  expect(changed(before, WRITTEN_MS)).toEqual(["place", "/first", "/second"]);
});
