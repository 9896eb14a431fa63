import { expect, test } from "vitest";
import { fileOf, readSource } from "./imports.ts";

/** Turns of phrase that readers stumble over; the table of the style has better ones. */
const OLD_TURNS =
  /\b(?:whoever|anew|once more|(?:go|goes|going|gone|went) on with|so many at most|which is said|nothing that is no)\b/iu;

/** Words that begin a fragment and no sentence. */
const FRAGMENTS = /^(?:\/\*\*|\*|\/\/)\s+(?:Of|What|Where|Which|By|As|How|Whether)\b/u;

/** Folders whose comments are all sentences. A folder that is cleaned is added here; none is taken away. */
const CLEAN = [
  ...[
    "catalog",
    "channels",
    "cli",
    "client",
    "config",
    "conversations",
    "drivers",
    "files",
    "index-file",
    "live",
    "machine",
    "mcp",
    "model",
    "model-agent",
    "search",
    "sessions",
    "store",
    "testing",
    "transcript",
    "wire",
  ].map((room) => fileOf(room)),
  "web",
  "extension",
];

interface CommentLine {
  readonly at: string;
  readonly text: string;
}

const lines = [readSource(), readSource("web"), readSource("extension")]
  .flat()
  .filter(({ path }) => !path.endsWith(".test.ts"))
  .flatMap(({ file, text }) => commentLinesIn(file, text));

/** The lines of comments that have a line of their own, with the place of each. */
function commentLinesIn(path: string, text: string): CommentLine[] {
  return text
    .split("\n")
    .map((line, index) => ({ at: `${path}:${index + 1}`, text: line.trim() }))
    .filter((line) => /^(?:\/\*\*|\*|\/\/)/u.test(line.text));
}

test("no comment of the source has the turns that readers stumble over", () => {
  expect(lines.length).toBeGreaterThan(5_000);
  expect(lines.filter(({ text }) => OLD_TURNS.test(text))).toEqual([]);
});

test("no comment of a clean folder begins as a fragment, with Of, What, Where, Which, By, As, How or Whether", () => {
  const clean = CLEAN.map((folder) => lines.filter(({ at }) => at.startsWith(`${folder}/`)));
  expect(CLEAN.filter((_, index) => clean[index]?.length === 0)).toEqual([]);
  expect(clean.flat().filter(({ text }) => FRAGMENTS.test(text))).toEqual([]);
});
