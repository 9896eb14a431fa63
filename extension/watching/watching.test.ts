/** The decisions of the content script, without a page: the video, the captions, the frames. */

import { expect, test } from "vitest";
import { LIMITS } from "../limits.ts";
import { plainUrl, recognise } from "./adapters.ts";
import { cueId, newWords, toCue } from "./captions.ts";
import { colourVector, scaled, similarity } from "./colours.ts";
import { mediaTimeAt } from "./position.ts";
import { admit, chooseVideo, look, NO_CHOICE } from "./video-choice.ts";

const SOURCE = "https://media.example/talk.mp4?signature=abc";

test.each([
  ["https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=42s&list=PL1", "", "youtube:dQw4w9WgXcQ"],
  ["https://m.youtube.com/watch?app=desktop&v=dQw4w9WgXcQ", "blob:x", "youtube:dQw4w9WgXcQ"],
  ["https://youtu.be/dQw4w9WgXcQ?si=zzz", "", "youtube:dQw4w9WgXcQ"],
  ["https://www.youtube.com/shorts/abc_DEF-123", "", "youtube:abc_DEF-123"],
  ["https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?autoplay=1", "", "youtube:dQw4w9WgXcQ"],
  ["https://vimeo.com/76979871?share=copy", "", "vimeo:76979871"],
  ["https://vimeo.com/channels/staffpicks/76979871", "", "vimeo:76979871"],
  ["https://player.vimeo.com/video/76979871?h=8272103f6e", "", "vimeo:76979871"],
  ["file:///home/ada/talk.webm#t=10", "file:///home/ada/talk.webm", "file:/home/ada/talk.webm"],
  ["https://a.example/talk?utm_source=mail&t=3", SOURCE, "html5:https://media.example/talk.mp4"],
  [
    "https://a.example/talk?b=2&utm_source=x&a=1&t=3#top",
    "blob:https://a.example/1",
    "html5:https://a.example/talk?a=1&b=2",
  ],
  [
    "https://youtube.com.evil.example/watch?v=dQw4w9WgXcQ",
    "blob:x",
    "html5:https://youtube.com.evil.example/watch?v=dQw4w9WgXcQ",
  ],
])("the video of %s %s is %s", (page, source, videoId) => {
  expect(recognise(page, source)?.videoId).toBe(videoId);
});

test("a page of the browser, and a text that is not an address, show no video", () => {
  for (const page of ["chrome://settings", "about:blank", "data:text/html,x", "nonsense", ""]) {
    expect(recognise(page, SOURCE)).toBeNull();
  }
});

test("a long id is bounded and still distinguishes videos", () => {
  const ids = ["a", "b"].map(
    (end) => recognise(`https://a.example/${"x".repeat(5_000)}${end}`, "blob:x")?.videoId,
  );
  expect(ids.map((id) => id?.length)).toEqual(
    [LIMITS.idChars, LIMITS.idChars].map((most) => expect.toSatisfy((n) => n <= most)),
  );
  expect(ids[0]).not.toBe(ids[1]);
});

test("an address is compared without its fragment and without irrelevant parameters", () => {
  expect(plainUrl("https://a.example/x?utm_campaign=1&q=2#part")).toBe("https://a.example/x?q=2");
});

test("a cue has words without tags, whole times, and the same id each time", () => {
  const fields = { startTime: 1.5, endTime: 3.2504, text: "<v Ada>The <b>harbour</b>\n opens</v>" };
  const cue = toCue(fields, "en");
  expect(cue).toEqual({ startMs: 1500, endMs: 3250, text: "The harbour opens", lang: "en" });
  if (cue === null) return;
  expect(cueId(cue, "a")).toBe(cueId({ ...cue }, "a"));
  expect(cueId(cue, "a")).not.toBe(cueId({ ...cue, text: "The harbour closes" }, "a"));
  expect(cueId(cue, "a")).not.toBe(cueId(cue, "b"));
});

test("a cue without words or without valid times is left out, and a very long one is cut", () => {
  const at = { startTime: 0, endTime: Number.POSITIVE_INFINITY };
  expect(toCue({ ...at, text: " <i></i> " }, "en")).toBeNull();
  expect(toCue({ startTime: Number.NaN, endTime: 1, text: "x" }, "en")).toBeNull();
  expect(toCue({ ...at, text: "x".repeat(10_000_000) }, "en")).toEqual({
    startMs: 0,
    endMs: 0,
    text: "x".repeat(LIMITS.textChars),
    lang: "en",
  });
  expect(toCue({ ...at, text: "\ud800" }, "en")?.text.isWellFormed()).toBe(true);
});

test.each([
  ["", "the ship", "the ship"],
  ["the ship", "the ship", ""],
  ["the ship", "the ship leaves", "leaves"],
  ["we see the ship", "the ship leaves", "leaves"],
  ["the ship leaves", "", ""],
  ["the ship", "a hill", "a hill"],
])("after captions change from %j to %j, %j is new", (before, now, added) => {
  expect(newWords(before, now)).toBe(added);
});

test("the first video counts at once, and another one when it has stayed", () => {
  const first = look(NO_CHOICE, "a");
  expect(first.value).toBe("a");
  const values: (string | null)[] = [];
  let steady = first;
  for (const seen of ["b", "c", "b", "c", null, "b", "b", "b", "b"]) {
    steady = look(steady, seen);
    values.push(steady.value);
  }
  expect(values).toEqual(["a", "a", "a", "a", "a", "a", "a", "b", "b"]);
});

test("a playing video is chosen before a larger one, and a video that is not loaded is never chosen", () => {
  const size = { width: 100, height: 100, isPlaying: false, isReady: true };
  expect(chooseVideo([size, { ...size, width: 10, isPlaying: true }, { ...size, width: 500 }])).toBe(1);
  expect(chooseVideo([size, { ...size, width: 500 }])).toBe(1);
  expect(chooseVideo([{ ...size, isReady: false }])).toBe(-1);
});

test("a page sends no more than the limit in ten seconds", () => {
  let times: readonly number[] = [];
  for (const nowMs of [0, 1, 2]) times = admit(times, nowMs, 3) ?? [];
  expect(admit(times, 9_999, 3)).toBeNull();
  expect(admit(times, 10_000, 3)).toEqual([1, 2, 10_000]);
});

test("pictures with the same colours are similar, and others are not", () => {
  const [red, blue] = [
    [255, 0, 0, 255, 250, 9, 9, 255],
    [0, 0, 255, 255, 0, 0, 255, 255],
  ].map(colourVector);
  expect(red).toHaveLength(64);
  expect(similarity(red ?? [], colourVector([240, 20, 20, 255]))).toBeCloseTo(1);
  expect(similarity(red ?? [], blue ?? [])).toBe(0);
  expect(scaled({ width: 1920, height: 1080 }, 640)).toEqual({ width: 640, height: 360 });
  expect(scaled({ width: 100, height: 50 }, 640)).toEqual({ width: 100, height: 50 });
});

test("a position advances while the video plays, and not beyond its end", () => {
  const position = { mediaTimeMs: 1_000, durationMs: 5_000, playing: true, rate: 2, atMs: 100 };
  expect(mediaTimeAt(position, 600)).toBe(2_000);
  expect(mediaTimeAt(position, 60_000)).toBe(5_000);
  expect(mediaTimeAt({ ...position, playing: false }, 600)).toBe(1_000);
  expect(mediaTimeAt(null, 600)).toBe(0);
});
