/** The line of each source: green only with evidence from the last 30 s, and with a remedy if there is a fault. */

import { expect, test } from "vitest";
import { SOURCES } from "../messages/messages.ts";
import { MICROPHONE_OFF } from "../sources/listening.ts";
import { TAB_SOUND_OFF } from "../sources/tab-sound-state.ts";
import type { SourceReport } from "../watching/source-report.ts";
import { type SourceInput, sourceStatuses } from "./source-status.ts";

const NOW = 1_000_000;
const REPORT: SourceReport = {
  captions: { from: "track", perMinute: 12, lastAtMs: NOW - 2_000 },
  pictures: { perMinute: 6, lastAtMs: NOW - 5_000, readAtMs: NOW - 5_000, problem: null },
  isAd: false,
  file: "https://video.example/a.webm",
};
const INPUT: SourceInput = {
  sources: SOURCES,
  report: REPORT,
  position: { mediaTimeMs: 0, durationMs: null, playing: true, rate: 1, atMs: NOW - 500 },
  microphone: { ...MICROPHONE_OFF, perMinute: 0, lastAtMs: null },
  tabSound: { ...TAB_SOUND_OFF, perMinute: 0, lastAtMs: null },
  textFailure: null,
  nowMs: NOW,
};

const linesOf = (part: Partial<SourceInput>): readonly string[] =>
  sourceStatuses({ ...INPUT, ...part }).map(
    ({ source, tone, text, remedy }) =>
      `${source}: ${text} (${tone}${remedy === null ? "" : `, ${remedy.label}`})`,
  );
const captions = (part: object): Partial<SourceInput> => ({
  report: { ...REPORT, captions: { ...REPORT.captions, ...part } },
});
const pictures = (part: object): Partial<SourceInput> => ({
  report: { ...REPORT, pictures: { ...REPORT.pictures, ...part } },
});

test("sources that give evidence show its amount, and a microphone that is off is shown as off", () => {
  expect(linesOf({})).toEqual([
    "Captions: 12 a minute (good)",
    "Pictures: 6 a minute (good)",
    "Tab sound: off (dim)",
    "Microphone: off (dim, Switch on)",
  ]);
});

test.each([
  [captions({ lastAtMs: NOW - 31_000 }), "Captions: none for 31 s (warn)"],
  [captions({ from: null, lastAtMs: null }), "Captions: this video has none (warn, Look for them)"],
  [
    { ...captions({ from: null, lastAtMs: null }), sources: { ...SOURCES, pageCaptions: true } },
    "Captions: none found on this page (warn)",
  ],
  [{ ...captions({ lastAtMs: NOW - 31_000 }), position: null }, "Captions: the video is paused (dim)"],
  [{ report: { ...REPORT, isAd: true } }, "Captions: an advertisement is left out (dim)"],
  [{ sources: { ...SOURCES, captions: false } }, "Captions: off (dim)"],
  [
    pictures({ problem: "forbidden", lastAtMs: null }),
    "Pictures: none, this site forbids reading them (warn, Open the video by itself)",
  ],
  [pictures({ problem: "failed" }), "Pictures: the browser could not read one (bad)"],
  [pictures({ lastAtMs: NOW - 40_000 }), "Pictures: the same one for 40 s (dim)"],
  [pictures({ lastAtMs: null, readAtMs: null }), "Pictures: none yet (warn)"],
  [
    { textFailure: { message: "the text in pictures cannot be read", hint: "it took too long" } },
    "Pictures: the text in pictures cannot be read (warn)",
  ],
  [
    { microphone: { state: "no-transcriber", failure: null } },
    "Microphone: no transcriber is set up (bad, Settings)",
  ],
  [
    { microphone: { state: "failed", failure: { message: "there is no microphone", hint: "" } } },
    "Microphone: there is no microphone (bad, Try again)",
  ],
] as const)("a source without evidence is not green, and shows a remedy (%#)", (part, line) => {
  expect(linesOf(part as Partial<SourceInput>)).toContain(line);
});

test("the microphone is green only with speech from the last 30 s, however long it has listened", () => {
  const heard = (part: Partial<SourceInput["microphone"]>): string | undefined =>
    linesOf({ microphone: { ...INPUT.microphone, state: "listening", ...part } }).at(-1);
  expect(heard({})).toBe("Microphone: listening, nothing was said yet (dim)");
  expect(heard({ perMinute: 3, lastAtMs: NOW - 29_000 })).toBe("Microphone: listening, 3 a minute (good)");
  expect(heard({ perMinute: 3, lastAtMs: NOW - 31_000 })).toBe(
    "Microphone: listening, nothing was said for 31 s (dim)",
  );
  // Speech that was stored before the microphone began to wait does not make the line green.
  expect(heard({ state: "video-paused", perMinute: 3, lastAtMs: NOW - 1_000 })).toBe(
    "Microphone: waits, the video is paused (dim)",
  );
});

test("the sound of the tab is green only with speech from the last 30 s, and shows what is missing", () => {
  const sound = (part: Partial<SourceInput["tabSound"]>): string | undefined =>
    linesOf({ tabSound: { ...INPUT.tabSound, ...part } })[2];
  expect(sound({ state: "listening" })).toBe("Tab sound: listening, nothing was said yet (dim)");
  const heard = { state: "listening", perMinute: 4 } as const;
  expect(sound({ ...heard, lastAtMs: NOW - 2_000 })).toBe("Tab sound: 4 a minute (good)");
  expect(sound({ ...heard, lastAtMs: NOW - 40_000 })).toBe(
    "Tab sound: listening, nothing was said for 40 s (dim)",
  );
  expect(sound({ state: "no-transcriber" })).toBe("Tab sound: no transcriber is set up (bad, Settings)");
  expect(sound({ state: "unasked" })).toBe("Tab sound: the browser waits for you (warn)");
  expect(sound({ state: "no-permission" })).toBe("Tab sound: the browser does not allow it (warn, Settings)");
  expect(linesOf({ tabSound: { ...INPUT.tabSound, state: "unavailable" } })).toHaveLength(3);
});
