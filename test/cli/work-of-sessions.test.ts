/**
 * The work of showing a session, of handing it over and of appending to a log, counted like that of a list: a limit
 * grows only together with a line here that says why.
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, test } from "vitest";
import { makeSources, type Source } from "../../bench/handoff/sources.ts";
import type { WorkCounts } from "../counting/preload.ts";
import { countWork, expectWithin, MAIN } from "../counting/work.ts";
import { scratchFolder } from "../scratch-folder.ts";

const SIZE_BYTES = 500_000;
const TEST_MS = 60_000;

const scratch = scratchFolder("counted-sessions");
const home = join(scratch, "user");
const continuoHome = join(scratch, "home");
let sources: readonly Source[];
beforeAll(() => {
  for (const folder of [home, continuoHome]) mkdirSync(folder);
  sources = makeSources(home, SIZE_BYTES);
  // The first commands create the index and the store.
  run(MAIN, "list");
  handOver("pi", "codex");
}, TEST_MS);

const run = (program: string, ...args: readonly string[]): WorkCounts =>
  countWork({ program, args, home, continuoHome });

const idOf = (agent: string): string => sources.find((source) => source.agent === agent)?.sessionId ?? "";

const handOver = (from: string, to: string): WorkCounts =>
  run(MAIN, "handoff", idOf(from), "--to", to, "--cwd", scratch);

/**
 * The source is read once, and Continuo's own store, which the answer may lie in, is opened. The tests run in any order: after
 * another command, one more session has to be looked up. The lines by which lists know sessions took two modules,
 * and so did the door and the flags of `approvals`.
 */
const SHOWN: readonly (readonly [agent: string, limits: WorkCounts])[] = [
  [
    "claude",
    {
      stats: 50,
      folders: 17,
      opened: 9,
      bytesRead: 750_000,
      bytesWritten: 0,
      parsedTexts: 160,
      parsedChars: 660_000,
      rows: 48,
      statements: 20,
      databaseRead: 66_000,
      databaseWritten: 100,
      modules: 1_035,
      youngCollections: 105,
    },
  ],
  [
    "opencode",
    {
      stats: 50,
      folders: 17,
      opened: 10,
      bytesRead: 120_000,
      bytesWritten: 0,
      parsedTexts: 135,
      parsedChars: 300_000,
      rows: 200,
      statements: 66,
      databaseRead: 420_000,
      databaseWritten: 100,
      modules: 1_035,
      youngCollections: 105,
    },
  ],
];

describe("session show of half a megabyte does not exceed its limits of work, of", () => {
  test.each(SHOWN)(
    "%s",
    (agent, limits) => expectWithin(run(MAIN, "session", "show", idOf(agent)), limits),
    TEST_MS,
  );
});

/** The limits apply to any two agents that keep files. */
const HAND_OVER: WorkCounts = {
  stats: 97,
  folders: 22,
  opened: 19,
  bytesRead: 800_000,
  bytesWritten: 400_000,
  parsedTexts: 450,
  parsedChars: 650_000,
  rows: 70,
  statements: 52,
  databaseRead: 430_000,
  databaseWritten: 450_000,
  // Four more than before: the lines by which lists know sessions, and the door and the flags of `approvals`.
  modules: 1_248,
  youngCollections: 135,
};

/**
 * The sources differ in size: Claude Code's is 650 kB, Codex's 370 kB, the others' 280 kB. What lies in a database of
 * opencode's is read and written by rows.
 */
const HANDED_OVER: readonly (readonly [from: string, to: string, limits: Partial<WorkCounts>])[] = [
  ["claude", "codex", { bytesRead: 1_150_000, parsedChars: 1_100_000 }],
  ["codex", "claude", { bytesRead: 1_650_000, parsedChars: 800_000 }],
  ["gemini", "pi", {}],
  [
    "pi",
    "opencode",
    {
      bytesWritten: 1_000,
      parsedChars: 950_000,
      rows: 450,
      statements: 660,
      databaseRead: 950_000,
      databaseWritten: 600_000,
    },
  ],
  ["opencode", "claude", { rows: 230, statements: 104, databaseRead: 750_000 }],
];

describe("a hand-over of half a megabyte does not exceed its limits of work, from", () => {
  test.each(HANDED_OVER)(
    "%s to %s",
    (from, to, limits) => expectWithin(handOver(from, to), { ...HAND_OVER, ...limits }),
    TEST_MS,
  );
});

const APPENDS = 200;
/** Opening a store is counted too. */
const OPENING = { stats: 35, statements: 180, rows: 680, databaseRead: 450_000, databaseWritten: 600_000 };

test("an append of one event looks at two names, runs seven statements and writes five pages", () => {
  const counts = run(join(import.meta.dirname, "../counting/appends.ts"), String(APPENDS));
  expectWithin(counts, {
    // These looks are for the folder, before and after the transaction.
    stats: OPENING.stats + 2 * APPENDS,
    opened: 2,
    // The transaction begins and ends; the log, the lease and the id are looked up; the event and the head are written.
    statements: OPENING.statements + 7 * APPENDS,
    rows: OPENING.rows + 2 * APPENDS,
    databaseRead: OPENING.databaseRead,
    databaseWritten: OPENING.databaseWritten + 5 * 4_120 * APPENDS,
    parsedTexts: APPENDS,
  });
});
