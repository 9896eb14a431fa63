import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT, readSource } from "./imports.ts";

/** Phrases that readers do not understand at once; the table of the style has better ones. */
const OLD_TURNS =
  /\b(?:whoever|anew|once more|(?:go|goes|going|gone|went) on with|so many at most|which is said|(?:is|are|was|were) told(?! apart)|nothing that is no)\b/iu;

/** Words that begin a fragment and no sentence. */
const FRAGMENTS = /^(?:\/\*\*|\*|\/\/)\s+(?:Of|What|Where|Which|By|As|How|Whether)\b/u;

interface CommentLine {
  readonly at: string;
  readonly text: string;
}

const lines = [undefined, "web", "extension", "bench", "scripts", "test", "frameworks"]
  .flatMap((folder) => readSource(folder))
  .flatMap(({ file, text }) => commentLinesIn(file, text));

/** Pages that people read; those of single versions are records of their time. */
const PAGES = globSync("{*.md,docs/**/*.md,packages/*/README.md}", { cwd: ROOT }).filter(
  (path) => !/^(?:CHANGELOG\.md|docs\/versions\/)/u.test(path),
);

/** The lines of comments that have a line of their own, with the place of each. */
function commentLinesIn(path: string, text: string): CommentLine[] {
  return text
    .split("\n")
    .map((line, index) => ({ at: `${path}:${index + 1}`, text: line.trim() }))
    .filter((line) => /^(?:\/\*\*|\*|\/\/)/u.test(line.text));
}

test("no comment of the source has a phrase that readers have to read twice", () => {
  expect(lines.length).toBeGreaterThan(5_000);
  expect(lines.filter(({ text }) => OLD_TURNS.test(text))).toEqual([]);
});

test("no page of the documentation has a phrase that readers have to read twice", () => {
  const found = PAGES.flatMap((path) =>
    readFileSync(join(ROOT, path), "utf8")
      .split("\n")
      .flatMap((line, index) => (OLD_TURNS.test(line) ? [`${path}:${index + 1}: ${line}`] : [])),
  );
  expect(PAGES.length).toBeGreaterThan(50);
  expect(found).toEqual([]);
});

test("no comment begins as a fragment, with Of, What, Where, Which, By, As, How or Whether", () => {
  expect(lines.filter(({ text }) => FRAGMENTS.test(text))).toEqual([]);
});
