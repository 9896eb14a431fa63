import { expect, test } from "vitest";
import { LIMITS } from "../../packages/live/src/kit/limits.ts";
import { simulate } from "./simulate.ts";

test("no transcript of dense and sparse sessions is lost in simulated time, and none waits over 12 s", async () => {
  const report = await simulate({ hours: 0.6, dense: 2, sparse: 4, failureShare: 0, seed: 15 });
  expect(report.transcripts).toBeGreaterThan(250);
  expect(report.failures).toBe(0);
  expect(report.passes).toBeGreaterThan(4);
  expect(report.longestWaitMs).toBeLessThanOrEqual(LIMITS.longestWaitMs);
}, 600_000);

test("no transcript is lost with a store that sometimes fails; a batch that it refuses is tried again after a second", async () => {
  const report = await simulate({ hours: 0.5, dense: 2, sparse: 4, failureShare: 0.005, seed: 15 });
  expect(report.transcripts).toBeGreaterThan(500);
  expect(report.droppedFrames).toBeGreaterThan(0);
  expect(report.failures).toBeGreaterThan(0);
  expect(report.abandoned).toBe(0);
  expect(report.longestWaitMs).toBeLessThanOrEqual(LIMITS.longestWaitMs + 1_000);
  const { written, failed } = report.checkpoints;
  expect(written / (written + failed)).toBeGreaterThanOrEqual(0.99);
  const [, half = 0, , end = 0] = report.heapMb;
  expect(end).toBeLessThan(half * 1.5 + 20);
}, 600_000);

test("the same simulation sends the same evidence again, on a fast machine and on a slow one", async () => {
  const simulation = { hours: 0.1, dense: 2, sparse: 2, failureShare: 0, seed: 15 };
  const sent = async (): Promise<readonly number[]> => {
    const { transcripts, frames, pictures, chunks } = await simulate(simulation);
    return [transcripts, frames, pictures, chunks];
  };
  const first = await sent();
  expect(first[0]).toBeGreaterThan(50);
  expect(await sent()).toEqual(first);
}, 600_000);
