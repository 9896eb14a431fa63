/** The conditions under which the sound of the tab is recorded. */

import { expect, test } from "vitest";
import { SETTINGS, SOURCES } from "../messages/messages.ts";
import { keepsUnfinishedSound, type TabSoundInput, tabSoundState } from "./tab-sound-state.ts";

const NOW = 1_000_000;
const LISTENS: TabSoundInput = {
  settings: { ...SETTINGS, sources: { ...SOURCES, tabSound: "without-captions" } },
  recording: { tabId: 1, frameId: 0, key: "key", videoId: "video", title: "" },
  position: { mediaTimeMs: 5_000, durationMs: null, playing: true, rate: 1, atMs: NOW },
  report: {
    captions: { perMinute: 0, lastAtMs: null, from: null },
    pictures: { perMinute: 0, lastAtMs: null, readAtMs: null, problem: null },
    isAd: false,
    file: null,
  },
  frontTab: 1,
  hasTranscriber: true,
  hasWhisper: false,
  isLocal: false,
  nowMs: NOW,
};

const withCaptions = (
  from: "track" | "platform",
  lastAtMs: number | null,
): Pick<TabSoundInput, "report"> => ({
  report: { ...LISTENS.report, captions: { perMinute: 0, lastAtMs, from } } as TabSoundInput["report"],
});

const withSound = (tabSound: "off" | "always"): Pick<TabSoundInput, "settings"> => ({
  settings: { ...SETTINGS, sources: { ...SOURCES, tabSound } },
});

const BY_BROWSER: Pick<TabSoundInput, "settings" | "hasTranscriber"> = {
  settings: {
    ...SETTINGS,
    sources: { ...SOURCES, tabSound: "without-captions", tabTranscriber: "browser" },
  },
  hasTranscriber: false,
};

const BY_WHISPER: Pick<TabSoundInput, "settings" | "hasTranscriber"> = {
  settings: { ...SETTINGS, sources: { ...SOURCES, tabSound: "always", tabTranscriber: "whisper" } },
  hasTranscriber: false,
};

test.each<readonly [string, Partial<TabSoundInput>, string]>([
  ["the video plays without captions", {}, "listening"],
  ["another program is in front", { frontTab: null }, "listening"],
  ["nobody switched it on", withSound("off"), "off"],
  ["the server has no transcriber", { hasTranscriber: false }, "no-transcriber"],
  ["the browser recognises the language on this machine", { ...BY_BROWSER, isLocal: true }, "listening"],
  ["the browser would send the sound away", BY_BROWSER, "no-language"],
  ["Whisper is there", { ...BY_WHISPER, hasWhisper: true }, "listening"],
  ["Whisper is chosen and not there", BY_WHISPER, "no-whisper"],
  ["no video is there", { recording: null }, "no-video"],
  ["the page reported nothing yet", { report: null }, "no-video"],
  ["the video has a text track", withCaptions("track", null), "captions"],
  ["the platform shows captions", withCaptions("platform", NOW - 20_000), "captions"],
  ["the platform shows no captions", withCaptions("platform", null), "listening"],
  ["the captions ended long ago", withCaptions("platform", NOW - 40_000), "listening"],
  ["the person wants it in any case", { ...withSound("always"), ...withCaptions("track", NOW) }, "listening"],
  [
    "an advertisement is shown",
    { report: { ...LISTENS.report, isAd: true } as TabSoundInput["report"] },
    "advertisement",
  ],
  ["another tab is in front", { frontTab: 2 }, "other-tab"],
  ["the video is paused", { position: { ...LISTENS.position, playing: false } as never }, "video-paused"],
  ["the page is gone", { nowMs: NOW + 60_000 }, "video-paused"],
])("when %s, the sound of the tab has the expected state", (_what, part, state) => {
  expect(tabSoundState({ ...LISTENS, ...part })).toBe(state);
});

test("an unfinished piece of sound is kept when the video pauses, and discarded when captions begin", () => {
  expect((["video-paused", "other-tab", "captions", "off"] as const).map(keepsUnfinishedSound)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
