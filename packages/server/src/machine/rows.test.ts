import { expect, test } from "vitest";
import { MACHINE_LIMITS } from "./limits.ts";
import { keptForMs } from "./rows.ts";

test("a list is kept for ten times as long as it took, within limits; the first one only for a moment", () => {
  const { listMs, mostFirstListMs, mostListMs } = MACHINE_LIMITS;
  const kept = [0, 200, 2_000, 60_000].map((tookMs) => [keptForMs(tookMs, true), keptForMs(tookMs, false)]);
  expect(kept).toEqual([
    [listMs, listMs],
    [2_000, 2_000],
    [mostFirstListMs, 20_000],
    [mostFirstListMs, mostListMs],
  ]);
});
