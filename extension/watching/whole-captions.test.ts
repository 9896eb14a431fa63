/** The time at which the captions of a whole video are listed, and how often. */

import { expect, test } from "vitest";
import { LIMITS } from "../limits.ts";
import { parseItems } from "../messages/messages.ts";
import { CaptionLister, type TrackLook } from "./whole-captions.ts";

function trackOf(count: number, more: Partial<TrackLook> = {}): TrackLook {
  const cues = Array.from({ length: count }, (_, n) => ({
    startTime: n * 2,
    endTime: n * 2 + 1.5,
    text: `<i>Line ${n}</i>`,
  }));
  return { lang: "en", label: "English", cues, isLoaded: true, durationMs: 60_000, ...more };
}

test("a track is listed once, after it was loaded and no longer grows", () => {
  const lister = new CaptionLister();
  expect(lister.look("v", trackOf(0))).toEqual([]);
  expect(lister.look("v", trackOf(10))).toEqual([]);
  expect(lister.look("v", trackOf(30))).toEqual([]);
  const [part, ...others] = lister.look("v", trackOf(30));
  expect(others).toEqual([]);
  expect(part).toMatchObject({ kind: "captions", lang: "en", mediaTimeMs: 0 });
  expect(part?.cues[1]).toEqual({ startMs: 2_000, endMs: 3_500, text: "Line 1" });
  expect(part?.cues.length).toBe(30);
  expect(lister.look("v", trackOf(30))).toEqual([]);
});

test("a track that a script fills is complete when it reaches the end of the video", () => {
  const isListed = (more: Partial<TrackLook>): boolean => {
    const lister = new CaptionLister();
    lister.look("v", trackOf(10, more));
    return lister.look("v", trackOf(10, more)).length > 0;
  };
  expect(isListed({ isLoaded: false, durationMs: 20_000 })).toBe(true);
  expect(isListed({ isLoaded: false, durationMs: 60_000 })).toBe(false);
  expect(isListed({ isLoaded: false, durationMs: null })).toBe(false);
  expect(isListed({ isLoaded: true, durationMs: null })).toBe(true);
});

test("a long list is split into parts that the server accepts, with the same ids each time", () => {
  const list = (videoId: string): ReturnType<CaptionLister["look"]> => {
    const lister = new CaptionLister();
    lister.look(videoId, trackOf(1_100));
    return lister.look(videoId, trackOf(1_100));
  };
  const parts = list("v");
  expect(parts.map(({ cues }) => cues.length)).toEqual([LIMITS.cuesPerItem, LIMITS.cuesPerItem, 100]);
  expect(list("v")).toEqual(parts);
  const ids = [...parts, ...list("w")].map(({ id }) => id);
  expect(new Set(ids).size).toBe(6);
  expect(parseItems(parts)).toEqual(parts);
});

test("a page cannot send a list that the server would refuse", () => {
  const part = { kind: "captions", id: "captions.1", mediaTimeMs: 0, lang: "en" };
  const cue = { startMs: 0, endMs: 1, text: "x" };
  expect(parseItems([{ ...part, cues: [{ ...cue, more: 1 }] }])).toEqual([{ ...part, cues: [cue] }]);
  for (const cues of [[], "x", [{ ...cue, text: "" }], [{ ...cue, endMs: -1 }], [{ ...cue, startMs: 2 }]]) {
    expect(parseItems([{ ...part, cues }])).toEqual([]);
  }
});
