/**
 * Captions without punctuation, each talk drawn six times with other random pauses than those that were looked at: what
 * the sentences of notes are worth beyond the drawings for which their limits were set to none.
 */

import { expect, test } from "vitest";
import { measurePlain } from "./drafts.ts";

const SEEDS = ["1", "2", "3", "4", "5", "6"];

// Two looks in a second do not show a pause of a third of a second: there, an end is a guess.
test.each([
  ["words", "short", 0],
  ["words", "long", 0],
  ["windows", "short", 0],
  ["cues", "short", 0],
  ["cues", "long", 0],
  ["drawn", "long", 0],
  ["drawn", "short", 0],
  ["polled", "long", 0],
  ["polled", "short", 0.02],
] as const)(
  "of the sentences of captions that are drawn as %s with %s pauses, at most the share %d is half",
  async (style, pauses, share) => {
    let [halves, sentences] = [0, 0];
    for (const seed of SEEDS) {
      const measured = await measurePlain({ style, pauses, seed });
      halves += measured.halves.length;
      sentences += measured.sentences;
    }
    expect(sentences).toBeGreaterThan(400);
    expect(halves / sentences).toBeLessThanOrEqual(share);
  },
);
