/**
 * Captions without punctuation, each talk drawn six times with other random pauses than those that were looked at: what
 * the sentences of notes are worth beyond the drawings for which their limits were set to none.
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
] as const)(
  "none of the sentences of captions that are drawn as %s with %s pauses is half",
  async (style, pauses) => {
    const halves: string[] = [];
    let sentences = 0;
    for (const seed of SEEDS) {
      const measured = await measurePlain({ style, pauses, seed });
      halves.push(...measured.halves);
      sentences += measured.sentences;
    }
    expect(sentences).toBeGreaterThan(400);
    expect(halves).toEqual([]);
  },
);
