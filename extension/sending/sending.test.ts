/** The time at which each message is sent, and the messages that a page can make the extension send. */

import { expect, test } from "vitest";
import { LIMITS } from "../limits.ts";
import { parseItems, parsePosition, parseSettings, parseVideo, SETTINGS } from "../messages/messages.ts";
import { parsePageItem, toEvidence } from "./items.ts";
import {
  badgeOf,
  frameInterval,
  frameRoom,
  NEW_SENDING_STATE,
  nextBatch,
  type SendingState,
  sendable,
} from "./policy.ts";

const OPEN: SendingState = { ...NEW_SENDING_STATE, connection: "open" };
const CUE = {
  kind: "transcript",
  id: "cue.1",
  mediaTimeMs: 1,
  endMs: 2,
  text: "ship",
  lang: "en",
  speaker: null,
} as const;

test("at a critical level only remarks are sent, and while the session is degraded or offline nothing is sent", () => {
  expect(sendable(OPEN)).toContain("frame");
  expect(sendable({ ...OPEN, level: "warning" })).toContain("frame");
  expect(sendable({ ...OPEN, level: "critical" })).toEqual(["remark"]);
  expect(sendable({ ...OPEN, isDegraded: true })).toEqual([]);
  expect(sendable({ ...OPEN, connection: "offline" })).toEqual([]);
});

test("the rate of frames is halved on a warning, and frames stop at a critical level", () => {
  expect(
    ["normal", "warning", "critical"].map((level) => frameInterval(5_000, { level } as SendingState)),
  ).toEqual([5_000, 10_000, null]);
  expect(frameInterval(1, { level: "normal" })).toBe(LIMITS.shortestFrameEveryMs);
});

test("300 frames wait while the server is offline, and 20 while the session is degraded", () => {
  expect([frameRoom(NEW_SENDING_STATE), frameRoom({ ...OPEN, isDegraded: true })]).toEqual([300, 20]);
});

test("the badge shows a pause only at a critical level", () => {
  expect(badgeOf({ ...OPEN, level: "critical" })).toMatchObject({ text: "⏸", colour: "#FFA500" });
  expect(badgeOf({ ...OPEN, level: "warning" }).text).toBe("");
  expect(badgeOf({ ...OPEN, isDegraded: true }).text).toBe("!");
});

test("waiting items are sent in order, and a frame or a piece of audio is sent separately", () => {
  const waiting = (["transcript", "voice", "frame", "remark"] as const).map((kind, order) => ({
    kind,
    order,
  }));
  const orders = (
    kinds: readonly ("transcript" | "voice" | "frame" | "remark")[],
    from = 0,
  ): readonly number[] => nextBatch(waiting.slice(from), kinds).map(({ order }) => order);
  const all = ["transcript", "voice", "frame", "remark"] as const;
  expect([orders(all), orders(all, 2), orders(all, 3), orders(["remark"])]).toEqual([[0, 1], [2], [3], [3]]);
  const many = Array.from({ length: 200 }, (_, order) => ({ kind: "transcript" as const, order }));
  expect(nextBatch(many, all)).toHaveLength(LIMITS.batchItems);
});

test.each([
  ["a remark, which only people make", { ...CUE, kind: "remark" }],
  ["audio", { ...CUE, kind: "audio", bytes: [] }],
  ["a text that is too long", { ...CUE, text: "x".repeat(LIMITS.textChars + 1) }],
  ["an end before its start", { ...CUE, endMs: 0 }],
  ["a negative time", { ...CUE, mediaTimeMs: -1 }],
  ["an id that is too long", { ...CUE, id: "x".repeat(300) }],
  [
    "a picture that is no base64",
    {
      ...CUE,
      kind: "frame",
      colours: new Array(64).fill(0),
      full: { mediaType: "image/jpeg", data: "<svg>" },
    },
  ],
  [
    "a page of HTML as a picture",
    { ...CUE, kind: "frame", colours: new Array(64).fill(0), full: { mediaType: "text/html", data: "AAAA" } },
  ],
  ["nothing", null],
])("a page cannot send %s", (_what, item) => {
  expect(parsePageItem(item)).toBeNull();
});

test("a field that a page adds is left out, and so is a speaker that it names", () => {
  expect(parsePageItem({ ...CUE, speaker: "Ada", more: 1 })).toEqual(CUE);
  expect(parseItems(new Array(1_000).fill(CUE))).toHaveLength(LIMITS.itemsPerMessage);
  expect(parseItems("no array")).toEqual([]);
});

test("evidence has the fields that the server accepts", () => {
  expect(toEvidence(CUE)).toEqual({
    type: "transcript_added",
    id: "cue.1",
    mediaTimeMs: 1,
    endMs: 2,
    text: "ship",
    lang: "en",
  });
  expect(toEvidence({ ...CUE, lang: "" })).not.toHaveProperty("lang");
  expect(toEvidence(CUE)).not.toHaveProperty("videoId");
  expect(toEvidence(CUE, "walk")).toMatchObject({ videoId: "walk" });
});

test("a page reports how its video stopped, in a batch that a server of an earlier version can refuse separately", () => {
  const stop = { kind: "playback", id: "stop.1", state: "paused", mediaTimeMs: 7 } as const;
  expect(parsePageItem({ ...stop, more: 1 })).toEqual(stop);
  expect(parsePageItem({ ...stop, state: "rewound" })).toBeNull();
  expect(toEvidence(stop, "walk")).toEqual({
    type: "playback_changed",
    id: "stop.1",
    state: "paused",
    mediaTimeMs: 7,
    videoId: "walk",
  });
  const waiting = (["transcript", "playback", "transcript"] as const).map((kind, order) => ({ kind, order }));
  const batches = [0, 1, 2].map((from) => nextBatch(waiting.slice(from), sendable(OPEN)));
  expect(batches.map((batch) => batch.map(({ order }) => order))).toEqual([[0], [1], [2]]);
});

test("values that are no settings, videos or positions are not accepted", () => {
  expect(parseSettings(undefined)).toEqual(SETTINGS);
  expect(
    parseSettings({
      serverUrl: "javascript:alert(1)",
      token: 5,
      sources: { microphone: "always", lang: "<b>" },
    }),
  ).toEqual(SETTINGS);
  expect(parseVideo({ videoId: "x".repeat(10_000), title: "" })).toBeNull();
  expect(
    parsePosition({ mediaTimeMs: 1, durationMs: null, playing: true, rate: Number.NaN, atMs: 1 }),
  ).toBeNull();
});
