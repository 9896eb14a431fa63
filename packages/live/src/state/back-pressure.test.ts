import fc from "fast-check";
import { expect, test } from "vitest";
import type { Level } from "../kit/index.ts";
import { countsByType, nextLevel, type ShedCandidate, shed, storesTelemetry } from "./back-pressure.ts";

const item = fc.record({
  type: fc.constantFrom(
    "transcript_added",
    "remark_added",
    "frame_captured",
    "voice_activity",
    "note_updated",
  ),
  activity: fc.constantFrom("speaking", "silent"),
});

test("only the oldest frames beyond 20 and repeated voice activity are dropped, and the order stays", () => {
  fc.assert(
    fc.property(fc.array(item, { maxLength: 120 }), (items) => {
      const pending = items.map((one, n): ShedCandidate => ({ ...one, sequence: n + 1 }));
      const { given, dropped } = shed(pending);
      expect([...given, ...dropped].toSorted((a, b) => a.sequence - b.sequence)).toEqual(pending);
      expect(given).toEqual(given.toSorted((a, b) => a.sequence - b.sequence));
      const frames = pending.filter(({ type }) => type === "frame_captured");
      const droppedFrames = dropped.filter(({ type }) => type === "frame_captured");
      expect(droppedFrames).toEqual(frames.slice(0, Math.max(0, frames.length - 20)));
      const others = dropped.filter(({ type }) => type !== "frame_captured");
      expect(others.every(({ type }) => type === "voice_activity")).toBe(true);
      const kept = given.filter(({ type }) => type === "voice_activity").map(({ activity }) => activity);
      expect(kept.every((activity, n) => n === 0 || activity !== kept[n - 1])).toBe(true);
    }),
  );
});

test("counts name every type that was dropped", () => {
  const dropped = ["frame_captured", "frame_captured", "voice_activity"];
  expect(countsByType(dropped.map((type, sequence) => ({ type, sequence })))).toEqual({
    frame_captured: 2,
    voice_activity: 1,
  });
});

test("telemetry is stored up to a depth of 50", () => {
  expect([0, 50, 51].map(storesTelemetry)).toEqual([true, true, false]);
});

test("levels rise at 50 and 100, and stay until the depth is below 25", () => {
  const depths = [0, 49, 50, 99, 100, 60, 25, 24, 30, 49, 51, 26, 24];
  const levels: Level[] = [];
  let level: Level = "normal";
  for (const depth of depths) {
    level = nextLevel(level, depth);
    levels.push(level);
  }
  expect(levels).toEqual([
    "normal",
    "normal",
    "warning",
    "warning",
    "critical",
    "critical",
    "critical",
    "normal",
    "normal",
    "normal",
    "warning",
    "warning",
    "normal",
  ]);
});

test("for any sequence of depths, the level is that of the highest depth since it was last below 25", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(150), { minLength: 1 }), (depths) => {
      let level: Level = "normal";
      let highest = 0;
      for (const depth of depths) {
        level = nextLevel(level, depth);
        highest = depth < 25 ? 0 : Math.max(highest, depth);
        expect(level).toBe(highest >= 100 ? "critical" : highest >= 50 ? "warning" : "normal");
      }
    }),
  );
});
