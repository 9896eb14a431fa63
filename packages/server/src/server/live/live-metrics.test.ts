import { createMeter } from "@continuo/files";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createMetrics } from "../operation/index.ts";
import { measureLive } from "./live-metrics.ts";

/** The numbers that `@continuo/live` measures. */
const METER = createMeter<"continuo.live.dropped", "continuo.live.batch.size" | "continuo.live.segments">(
  "test",
  {
    "continuo.live.dropped": { kind: "counter", unit: "1", says: "" },
    "continuo.live.batch.size": { kind: "histogram", unit: "1", says: "" },
    "continuo.live.segments": { kind: "histogram", unit: "1", says: "" },
  },
);

let metrics: ReturnType<typeof createMetrics>;
let leave: () => void;
beforeEach(() => {
  metrics = createMetrics();
  leave = measureLive(metrics);
});
afterEach(() => leave());

function ratios(): Readonly<Record<string, number>> {
  const found = metrics.text().matchAll(/^continuo_live_success_ratio\{measure="(\w+)"\} (\S+)$/gmu);
  return Object.fromEntries(Array.from(found, ([, measure = "", value]) => [measure, Number(value)]));
}

test("a session with ten segments is a long one, and one with nine is not counted", () => {
  METER.record("continuo.live.segments", 9, { state: "abandoned" });
  METER.record("continuo.live.segments", 10, { state: "closed" });
  METER.record("continuo.live.segments", 11, { state: "abandoned" });
  expect(ratios()).toEqual({ segments: 0.5 });
});

test("each piece of evidence that was dropped lowers the coverage", () => {
  METER.record("continuo.live.batch.size", 30);
  METER.count("continuo.live.dropped", 10, { type: "frame_captured" });
  expect(ratios()).toEqual({ coverage: 0.75 });
});
