/** The microphone: each missing condition keeps it off. */

import { expect, test } from "vitest";
import { SETTINGS } from "../messages/messages.ts";
import { type ListeningInput, microphoneState } from "./listening.ts";

const RECORD = { ...SETTINGS, sources: { ...SETTINGS.sources, microphone: "record" as const } };
const RECOGNISE = { ...SETTINGS, sources: { ...SETTINGS.sources, microphone: "recognise" as const } };
const WHISPER = { ...SETTINGS, sources: { ...SETTINGS.sources, microphone: "whisper" as const } };
const PLAYING = { mediaTimeMs: 1_000, durationMs: null, playing: true, rate: 1, atMs: 10_000 };
const ALL: ListeningInput = {
  settings: RECORD,
  recording: { tabId: 7, frameId: 0, key: "k", videoId: "v", title: "T" },
  position: PLAYING,
  frontTab: 7,
  panels: 1,
  isLocal: false,
  hasTranscriber: true,
  hasWhisper: false,
  nowMs: 10_500,
};

test.each([
  ["listening", {}],
  ["off", { settings: SETTINGS }],
  ["off", { settings: null }],
  ["paused", { settings: { ...RECORD, isMicrophonePaused: true } }],
  ["panel-closed", { panels: 0 }],
  ["no-video", { recording: null }],
  ["other-tab", { frontTab: 8 }],
  ["other-tab", { frontTab: null }],
  ["video-paused", { position: { ...PLAYING, playing: false } }],
  ["video-paused", { position: null }],
  ["video-paused", { nowMs: 60_000 }],
  ["no-transcriber", { hasTranscriber: false }],
  ["no-consent", { settings: RECOGNISE }],
  ["no-whisper", { settings: WHISPER }],
  ["listening", { settings: WHISPER, hasWhisper: true, hasTranscriber: false }],
  ["listening", { settings: RECOGNISE, isLocal: true, hasTranscriber: false }],
  ["listening", { settings: { ...RECOGNISE, sources: { ...RECOGNISE.sources, voiceMayLeave: true } } }],
] as const)("the microphone is %s with %j", (state, part) => {
  expect(microphoneState({ ...ALL, ...part } as ListeningInput)).toBe(state);
});
