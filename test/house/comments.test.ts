import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT, readSource } from "./imports.ts";

/** Phrases that readers do not understand at once; the table of the style has better ones. */
const OLD_TURNS =
  /\b(?:whoever|anew|once more|(?:go|goes|going|gone|went) on with|so many at most|which is said|(?:is|are|was|were) told(?! apart)|nothing that is no|nothing that JSON|whichever|what is odd|holds? up(?! to)|looked at, and is not so)\b/iu;

/** Words that are vague or dated in prose; "next to", "in addition to" and "only" replace them. */
const VAGUE = /\b(?:beside|alone)\b/iu;

/** Returns the text without code and the targets of links. */
function proseOf(text: string): string {
  return text.replace(/`[^`]*`|\]\([^)]*\)/gu, "");
}

/** Words that begin a fragment and no sentence. */
const FRAGMENTS = /^(?:\/\*\*?|\*|\/\/|#)\s+(?:Of|What|Where|Which|By|As|How|Whether)\b/u;

interface CommentLine {
  readonly at: string;
  readonly text: string;
}

/** Programs and styles that are not TypeScript. */
const OTHERS = globSync(
  "{bin,editors,examples,extension,frameworks,packages,scripts,src,test,web}/**/*.{js,mjs,cjs,py,sh,css}",
  { cwd: ROOT, exclude: (path) => /(?:^|\/)(?:node_modules|dist|fixtures|\.[^/]*)(?:\/|$)/u.test(path) },
);

const lines = [undefined, "web", "extension", "bench", "scripts", "test", "frameworks"]
  .flatMap((folder) => readSource(folder))
  .map(({ file, text }) => ({ file, text }))
  .concat(OTHERS.map((file) => ({ file, text: readFileSync(join(ROOT, file), "utf8") })))
  .flatMap(({ file, text }) => commentLinesIn(file, text));

/** Pages that people read. The pages of single versions are records of their time, and are left out. */
const PAGES = globSync("{*.md,docs/**/*.md,packages/*/README.md}", { cwd: ROOT }).filter(
  (path) => !/^(?:CHANGELOG\.md|docs\/versions\/)/u.test(path),
);

/** The lines that have only a comment, with the place of each. */
function commentLinesIn(path: string, text: string): CommentLine[] {
  return text
    .split("\n")
    .map((line, index) => ({ at: `${path}:${index + 1}`, text: line.trim() }))
    .filter((line) => /^(?:\/\*|\*|\/\/|# )/u.test(line.text));
}

test("no comment of the source has a phrase that readers have to read twice", () => {
  expect(lines.length).toBeGreaterThan(5_000);
  expect(lines.filter(({ text }) => OLD_TURNS.test(text))).toEqual([]);
});

test("no comment has a vague word for a place or for what is the only one", () => {
  expect(OTHERS.length).toBeGreaterThan(30);
  expect(lines.filter(({ text }) => VAGUE.test(proseOf(text)))).toEqual([]);
});

test("no page of the documentation has a phrase that readers have to read twice", () => {
  const found = PAGES.flatMap((path) =>
    readFileSync(join(ROOT, path), "utf8")
      .split("\n")
      .flatMap((line, index) => (isUnclear(line) ? [`${path}:${index + 1}: ${line}`] : [])),
  );
  expect(PAGES.length).toBeGreaterThan(50);
  expect(found).toEqual([]);
});

function isUnclear(line: string): boolean {
  return OLD_TURNS.test(line) || VAGUE.test(proseOf(line));
}

test("no comment begins as a fragment, with Of, What, Where, Which, By, As, How or Whether", () => {
  expect(lines.filter(({ text }) => FRAGMENTS.test(text))).toEqual([]);
});
