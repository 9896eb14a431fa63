/** The words of a model without its marks for sounds. */

import { expect, test } from "vitest";
import { spokenText } from "./whisper-model.ts";

test.each<readonly [string, string]>([
  [" The ship leaves.  (music) It is late. ", "The ship leaves. It is late."],
  ["[BLANK_AUDIO]", ""],
  ["♪ (cheering) ♪", ""],
])("the words of %j are %j", (text, said) => {
  expect(spokenText(text)).toBe(said);
});
