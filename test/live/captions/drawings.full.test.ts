/**
 * Captions without punctuation, each talk drawn six times with random pauses that were not used to set the limits: this
 * tests whether the sentences of notes are whole for other drawings too.
 */

import { expect, test } from "vitest";
import { measurePlain } from "./drafts.ts";

const SEEDS = ["1", "2", "3", "4", "5", "6"];

test.each([
  ["words", "short"],
  ["words", "long"],
  ["windows", "short"],
  ["cues", "short"],
  ["cues", "long"],
  ["drawn", "long"],
  ["drawn", "short"],
] as const)("captions that are drawn as %s with %s pauses give no half sentences", async (style, pauses) => {
  const halves: string[] = [];
  let sentences = 0;
  for (const seed of SEEDS) {
    const measured = await measurePlain({ style, pauses, seed });
    halves.push(...measured.halves);
    sentences += measured.sentences;
  }
  expect(sentences).toBeGreaterThan(400);
  expect(halves).toEqual([]);
});
