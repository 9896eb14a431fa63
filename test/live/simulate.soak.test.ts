import { expect, test } from "vitest";
import { simulate } from "./simulate.ts";

test("in 24 simulated hours of 200 sessions, no transcript is lost and none waits over 12 s and a retry", async () => {
  const report = await simulate({ hours: 24, dense: 20, sparse: 180, failureShare: 0.002, seed: 24 });
  console.info(JSON.stringify(report));
  expect(report.abandoned).toBeLessThan(2);
  // The store refuses some batches: these are tried again after 1 and 2 seconds.
  expect(report.longestWaitMs).toBeLessThanOrEqual(15_000);
  const { written, failed } = report.checkpoints;
  expect(written / (written + failed)).toBeGreaterThanOrEqual(0.99);
  const [, half = 0, , end = 0] = report.heapMb;
  expect(end).toBeLessThan(half * 1.5 + 20);
});
