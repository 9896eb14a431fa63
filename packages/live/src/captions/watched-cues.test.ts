/** The part of a video that was watched: which of its captions were heard. */

import { expect, test } from "vitest";
import { heardCues, watchedShare, watchedSpans } from "./watched-cues.ts";

const cues = [0, 2_000, 5_000, 8_000, 10_000].map((startMs) => ({
  startMs,
  endMs: startMs + 2_000,
  text: "x",
}));

function heardFrom(...spans: readonly (readonly [number, number])[]): readonly boolean[] {
  return heardCues(
    cues,
    spans.map(([startMs, endMs]) => ({ startMs, endMs })),
  );
}

test("a caption counts as heard if half of it was heard, also in several pieces", () => {
  expect(heardFrom()).toEqual([false, false, false, false, false]);
  expect(heardFrom([0, 2_000], [5_000, 7_000])).toEqual([true, false, true, false, false]);
  expect(heardFrom([0, 999])[0]).toBe(false);
  expect(heardFrom([0, 600], [1_200, 1_700])[0]).toBe(true);
  // Words that are heard again, and spans that overlap, count once.
  expect(heardFrom([0, 600], [0, 600], [300, 700])[0]).toBe(false);
});

test("a caption without a length counts as heard if a heard part of the video contains its time", () => {
  const at = [{ startMs: 1_000, endMs: 1_000, text: "x" }];
  expect(heardCues(at, [{ startMs: 900, endMs: 1_100 }])).toEqual([true]);
  expect(heardCues(at, [{ startMs: 1_100, endMs: 1_200 }])).toEqual([false]);
});

test("captions that follow each other are one part together with the pauses between them, and skipped captions are not in it", () => {
  expect(watchedSpans(cues, [true, true, true, false, true])).toEqual([
    { startMs: 0, endMs: 7_000 },
    { startMs: 10_000, endMs: 12_000 },
  ]);
  expect(watchedSpans(cues, [false, false, false, false, false])).toEqual([]);
});

test("the share of a chapter counts the captions that begin in it", () => {
  const isHeard = [true, false, true, false, true];
  expect(watchedShare({ startMs: 0, endMs: 5_000 }, { cues, isHeard })).toBe(0.5);
  expect(watchedShare({ startMs: 5_000, endMs: 12_000 }, { cues, isHeard })).toBeCloseTo(2 / 3);
  expect(watchedShare({ startMs: 20_000, endMs: 30_000 }, { cues, isHeard })).toBe(0);
});
