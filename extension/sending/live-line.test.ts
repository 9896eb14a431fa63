/** The live line of the panel, from captions that a page draws word by word. */

import { expect, test } from "vitest";
import { LIMITS } from "../limits.ts";
import { heardLast, saidAt } from "./live-line.ts";
import type { ShownEvidence } from "./view.ts";

const WORDS = "The queen lays the eggs. The workers feed her. They bring honey. Then the".split(" ");

const EVIDENCE: readonly ShownEvidence[] = WORDS.map((text, n) => ({
  id: `e${n}`,
  type: "transcript_added",
  sequence: n + 1,
  mediaTimeMs: 1_000 + n * 500,
  endMs: 1_000 + n * 500,
  lang: "",
  text,
  thumbnail: null,
  videoId: null,
}));

test("each word is in the line as soon as it is stored, in its sentence", () => {
  for (const [n, word] of WORDS.entries()) {
    expect(heardLast(EVIDENCE.slice(0, n + 1)).at(-1)?.text).toMatch(new RegExp(`(?:^| )${word}$`, "u"));
  }
  expect(heardLast(EVIDENCE).map(({ text, startMs }) => [startMs, text])).toEqual([
    [3_500, "The workers feed her."],
    [5_500, "They bring honey."],
    [7_000, "Then the"],
  ]);
});

test("the sentence at the present time of the video is marked, and none is marked in a silence", () => {
  const sentences = heardLast(EVIDENCE);
  expect([3_500, 5_400, 5_500, 6_900, 7_600].map((atMs) => saidAt(sentences, atMs))).toEqual([0, 0, 1, 1, 2]);
  expect(saidAt(sentences, 60_000)).toBe(-1);
  expect(saidAt(sentences, 0)).toBe(-1);
});

test("remarks and frames are not part of the line, which stays short however long a person watches", () => {
  const remark: ShownEvidence = {
    ...(EVIDENCE[0] as ShownEvidence),
    type: "remark_added",
    text: "Ah!",
    sequence: 90,
  };
  expect(heardLast([...EVIDENCE, remark])).toEqual(heardLast(EVIDENCE));
  const long = Array.from({ length: 2_000 }, (_, n) => ({
    ...(EVIDENCE[n % 12] as ShownEvidence),
    sequence: n,
  }));
  expect(heardLast(long).length).toBeLessThanOrEqual(LIMITS.lineSentences);
});
