/** The other styles of captions without punctuation; `notes.test.ts` has one of words and one of windows. */

import { test } from "vitest";
import { expectWholeSentences } from "./plain-captions.ts";

test.each([
  ["words", "short", 0.8],
  ["cues", "short", 0.85],
  ["cues", "long", 0.85],
  ["drawn", "long", 0.8],
  ["drawn", "short", 0.8],
] as const)(
  "captions without punctuation that are drawn as %s with %s pauses give whole sentences that cover the thoughts",
  async (style, pauses, share) => await expectWholeSentences({ style, pauses }, share),
);
