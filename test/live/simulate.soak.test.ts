import { writeSync } from "node:fs";
import { expect } from "vitest";
import { soakTest } from "../sizes/soak-test.ts";
import { simulate } from "./simulate.ts";

soakTest(
  "live: 24 simulated hours of 200 sessions lose no transcript, chunk, note or picture, and each is processed within 12 s plus the pauses of retries",
  { count: 1, batchSize: 1 },
  async ({ seed }) => {
    const began = performance.now();
    const onHour = (hour: number, heapMb: number): void => {
      const minutes = Math.round((performance.now() - began) / 60_000);
      writeSync(2, `${hour.toFixed(2)} simulated hours after ${minutes} min, heap ${heapMb} MB\n`);
    };
    const size = { hours: 24, dense: 20, sparse: 180, failureShare: 0.002 };
    const report = await simulate({ ...size, seed, onHour });
    const sessions = size.dense + size.sparse;
    const { events, transcripts, frames, droppedFrames, pictures, chunks, notes, batches, passes } = report;
    const { failures, heapMb, longestWaitMs, abandoned } = report;
    expect(abandoned).toBeLessThan(2);
    // The store refuses some batches, which are tried again after 1, 2 and 4 seconds: 12 s and 7 s of pauses.
    expect(longestWaitMs).toBeLessThanOrEqual(19_000);
    expect(passes).toBeGreaterThan(sessions);
    const { written, failed } = report.checkpoints;
    expect(written / (written + failed)).toBeGreaterThanOrEqual(0.99);
    const [, half = 0, , end = 0] = heapMb;
    expect(end).toBeLessThan(half * 1.5 + 20);
    return [
      `${events} events: ${transcripts} transcripts, ${frames} frames (${droppedFrames} dropped), ${pictures} pictures`,
      `${chunks} chunks of audio, ${batches} batches, ${notes} notes, ${passes} passes over pages`,
      `${failures} refused appends, ${written} checkpoints (${failed} refused), ${abandoned} abandoned`,
      `longest wait ${longestWaitMs / 1_000} s, heap ${heapMb.join(", ")} MB by quarter`,
    ].join("; ");
  },
);
