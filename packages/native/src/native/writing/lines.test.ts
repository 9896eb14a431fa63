/** A new file holds exactly the lines of its records, however long they are and whatever characters they hold. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../../../test/scratch-folder.ts";
import { openLineSink, toLines } from "./lines.ts";

const MEGABYTE = 1024 * 1024;

test.each(["a", "é", "–", "🙂", "\u2028"])("a new file holds lines of %j of every length", (character) => {
  const lengths = [0, 1, 1000, MEGABYTE / 3, MEGABYTE / 2, MEGABYTE - 20, 2 * MEGABYTE, 7];
  const records = lengths.map((length, at) => ({ at, text: character.repeat(length / character.length) }));
  const path = join(scratchFolder("lines"), "session.jsonl");
  openLineSink(path).create(records);
  expect(readFileSync(path, "utf8") === toLines(records)).toBe(true);
});

test("a new file holds many short lines, which do not fit into one piece", () => {
  const records = Array.from({ length: 50_000 }, (_, at) => ({ at, text: `–${"é".repeat(at % 97)}` }));
  const path = join(scratchFolder("lines"), "session.jsonl");
  openLineSink(path).create(records);
  expect(readFileSync(path, "utf8") === toLines(records)).toBe(true);
});
