/**
 * The minimum of a hand-over: reads a file of JSON lines, parses each, and writes all of them to a copy next to it:
 * `node least.ts FILE`.
 */

import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";

/** Lines of this many characters are written at once. */
const PIECE_CHARS = 1_000_000;

const [path = ""] = process.argv.slice(2);
const values: unknown[] = readFileSync(path, "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line));
const copy = openSync(`${path}.copy`, "w");
let piece = "";
for (const value of values) {
  piece += `${JSON.stringify(value)}\n`;
  if (piece.length < PIECE_CHARS) continue;
  writeSync(copy, piece);
  piece = "";
}
writeSync(copy, piece);
closeSync(copy);
rmSync(`${path}.copy`);
