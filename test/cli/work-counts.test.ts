/**
 * The work that a list and a search do on a home whose index is full: counted, because a count is the same on every
 * machine and at every load. A limit grows only together with a line here that says why.
 */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { makeCorpus } from "../../bench/sessions/corpus.ts";
import type { WorkCounts } from "../counting/preload.ts";
import { scratchFolder } from "../scratch-folder.ts";

const ROOT = join(import.meta.dirname, "../..");
const SESSIONS = 60;
const SETTLING_MS = 2_500;

const scratch = scratchFolder("counts");
let home: string;
beforeAll(async () => {
  home = makeCorpus({ name: "counted", sessions: SESSIONS, totalBytes: 600_000 }, scratch);
  // A file that was written in the last moments may still change unseen, and is read again each time.
  await sleep(SETTLING_MS);
  run(["index", "rebuild", "--json"]);
  // The first list stores what it found out about each file.
  run(["list", "--limit", "20"]);
});

function run(args: readonly string[]): WorkCounts {
  const counts = join(scratch, "counts.json");
  const argv = ["--import", join(ROOT, "test/counting/preload.ts"), join(ROOT, "src/cli/main.ts"), ...args];
  const env = { HOME: home, CONTINUO_HOME: join(scratch, "home"), CONTINUO_COUNTS: counts, CI: "1" };
  execFileSync(process.execPath, argv, { env, stdio: ["ignore", "ignore", "pipe"] });
  return JSON.parse(readFileSync(counts, "utf8"));
}

/**
 * - `stats`: every session is looked at once, a few of them also at the files beside it
 * - `folders`: each folder of Codex, which Node's own recursion, four times as slow, listed without being counted
 * - `parsedTexts`: a list parses the rows that it shows, and the short answers about each file, which lie in columns; a
 *   search the rows of sessions that it shows, and a chunk for each result
 * - `rows`: a search reads the turns of the sessions that it shows again, and less of all others
 * - `modules`: those of the sources and of Node, before they are bundled; `blame` and telemetry brought sixty
 */
const LIMITS: readonly (readonly [command: string, limits: WorkCounts])[] = [
  [
    "list --limit 20",
    { stats: 112, folders: 58, opened: 7, parsedTexts: 78, parsedChars: 26_000, rows: 86, modules: 690 },
  ],
  [
    "search --json middle",
    { stats: 148, folders: 78, opened: 12, parsedTexts: 48, parsedChars: 90_000, rows: 270, modules: 945 },
  ],
  [
    "search --json nothing0that0is0there",
    { stats: 146, folders: 78, opened: 10, parsedTexts: 28, parsedChars: 13_000, rows: 175, modules: 945 },
  ],
];

test.each(LIMITS)("%s does no more work than its limits say", (command, limits) => {
  const counts = run(command.split(" "));
  const over = Object.entries(limits).filter(([key, limit]) => counts[key as keyof WorkCounts] > limit);
  expect(over, JSON.stringify(counts)).toEqual([]);
});
