/**
 * A title of a test is a complete statement in the log of a failure. This file checks the part of that rule that a
 * program can check.
 */

import { expect, test } from "vitest";
import { readSource } from "./imports.ts";
import { testTitlesOf } from "./test-titles.ts";

const titles = [undefined, "test", "web", "extension"].flatMap((folder) =>
  readSource(folder)
    .filter(({ text }) => /^\s*(?:test|it|describe)\b/mu.test(text))
    .flatMap(({ path, file, text }) =>
      testTitlesOf({ path, text }).map((title) => ({ ...title, place: `${file}:${title.line}` })),
    ),
);

/** Phrases that readers have to read twice, from `STYLE.md` and the reviews of the texts. */
const OLD_TURNS =
  /\b(?:go|goes|going|gone|went) on\b|\b(?:is|are|was|were) (?:told|said)\b|\bwhoever\b|\banew\b|\bmeanwhile\b|\balone\b|\ball the same\b/iu;

/** Beginnings of a title that continue the sentence of another title. */
const NEEDS_ANOTHER = /^(?:and|but|or|so|also|then|unless|who|whoever)\b/u;

const found = (wrong: (text: string) => boolean): string[] =>
  titles.filter(({ text }) => wrong(text)).map(({ place, text }) => `${place} ${text}`);

test("the titles of tests are found, also of tests with a table", () => {
  expect(titles.length).toBeGreaterThan(2_500);
  const source = [
    'test.each([1])("%i is a number", () => {});',
    "describe(`of $",
    "{one}`, () => {});\ntest(name, run);",
  ];
  expect(testTitlesOf({ path: "a.test.ts", text: source.join("") })).toEqual([
    { of: "test", line: 1, text: "%i is a number" },
    { of: "describe", line: 1, text: "of …" },
  ]);
});

test("no title of a test has a phrase that readers have to read twice", () => {
  expect(found((text) => OLD_TURNS.test(text))).toEqual([]);
});

test("no title of a test begins as the end of another sentence", () => {
  expect(found((text) => NEEDS_ANOTHER.test(text))).toEqual([]);
});

test("no title of a test begins in upper case as a sentence does, or ends with a full stop", () => {
  expect(found((text) => /[^.]\.$/u.test(text) || /^(?:A|An|The|It|Should|This|When)\s/u.test(text))).toEqual(
    [],
  );
});
