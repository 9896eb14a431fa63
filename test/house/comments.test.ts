import { expect, test } from "vitest";
import { readSource } from "./imports.ts";

const OLD_TURNS = /\b(?:whoever|anew|once more|(?:go|goes|going|gone|went) on with)\b/iu;

/** The lines of comments that have a line of their own, with the place of each. */
function commentLinesIn(path: string, text: string): { readonly at: string; readonly text: string }[] {
  return text
    .split("\n")
    .map((line, index) => ({ at: `${path}:${index + 1}`, text: line.trim() }))
    .filter((line) => /^(?:\/\*\*|\*|\/\/)/u.test(line.text));
}

test("no comment of the source has the turns that readers stumble over", () => {
  const files = readSource().filter(({ path }) => !path.endsWith(".test.ts"));
  const lines = files.flatMap(({ path, text }) => commentLinesIn(path, text));
  expect(lines.length).toBeGreaterThan(5_000);
  expect(lines.filter(({ text }) => OLD_TURNS.test(text))).toEqual([]);
});
