/** When speech begins and ends. */

import { expect, test } from "vitest";
import { LIMITS } from "../limits.ts";
import { foldLoudness, loudnessOf, SILENT, type Voice } from "./voice.ts";

/** The events of a series of loud (`#`) and quiet (`.`) measurements, 50 ms each. */
function eventsOf(sound: string): readonly string[] {
  let voice: Voice = SILENT;
  return [...sound].flatMap((one, at) => {
    const heard = foldLoudness(voice, one === "#" ? 0.2 : 0.001, at * LIMITS.loudnessEveryMs);
    voice = heard.voice;
    return heard.event === null ? [] : [`${heard.event} ${at}`];
  });
}

test.each([
  ["silence", ".".repeat(50), []],
  ["a click", `..##${".".repeat(50)}`, []],
  ["a word", `..${"#".repeat(10)}${".".repeat(20)}`, ["begins 7", "ends 26"]],
  ["a breath between words", `${"#".repeat(10)}${".".repeat(8)}${"#".repeat(10)}`, ["begins 5"]],
  ["a long speech", "#".repeat(700), ["begins 5", "ends 600", "begins 606"]],
])("%s has the expected events of speech", (_what, sound, events) => {
  expect(eventsOf(sound)).toEqual(events);
});

test("loudness is the root mean square", () => {
  expect(loudnessOf([])).toBe(0);
  expect(loudnessOf([0.5, -0.5])).toBe(0.5);
});
