/**
 * The work that lists and searches do on a home whose index is full. Work is counted, because a count is the same on
 * every machine and under every load. A limit may grow only with a line here that gives the reason. A limit of a count
 * that hardly differs between runs must be lowered after an improvement: it is at most a tenth, or 3, above the count.
 */

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { makeCorpus } from "../../bench/sessions/corpus.ts";
import type { WorkCounts } from "../counting/preload.ts";
import { countWork, expectNear, looseLimits, MAIN, SETTLING_MS } from "../counting/work.ts";
import { scratchFolder } from "../scratch-folder.ts";

const SESSIONS = 60;

const scratch = scratchFolder("counts");
let home: string;
/** The work of the commands that make the home ready for the others. */
const begun = new Map<string, WorkCounts>();
beforeAll(async () => {
  home = makeCorpus({ name: "counted", sessions: SESSIONS, totalBytes: 600_000 }, scratch);
  await sleep(SETTLING_MS);
  begun.set("list --json --all, without an index", run(["list", "--json", "--all"]));
  begun.set("index rebuild --json", run(["index", "rebuild", "--json"]));
  // The first lists store their results for each file.
  run(["list", "--limit", "20"]);
  run(["list", "--json", "--all"]);
});

const run = (args: readonly string[]): WorkCounts =>
  countWork({ program: MAIN, args, home, continuoHome: join(scratch, "home") });

/**
 * The reasons for the limits:
 * - `stats`: each session is checked once, and for a few of them also the files next to it; the look for a process that
 * answers costs one
 * - `folders`: each folder of Codex; Node's own recursion, which is four times as slow, would not be counted
 * - `bytesRead`, `bytesWritten`: a search writes the numbers of its results; bytes of the index and of databases are
 * counted separately
 * - `statements`, `databaseRead`, `databaseWritten`: the index has 500 kB, and a list reads a fifth of it; lists and
 * searches do not write to it
 * - `youngCollections`: about one for each megabyte of new objects; loading the sources causes a third; they vary by a
 * tenth
 * - `parsedTexts`: a list parses only the rows that it shows; `list --json --all` parses the whole row of each session;
 * a search parses the short answers about files of several agents, the rows of the sessions that it shows, and a chunk
 * for each result; a filter of turns parses nothing, and a regular expression each chunk once, and again where it is
 * shown
 * - `parsedChars`: a search parses the states of opencode's sessions, which have 60 characters each
 * - `rows`, `statements`: a search reads the turns of the sessions that it shows again, and less of all others; one
 * statement for each of these sessions reads its facts
 * - `modules`: the modules of the sources, before they are bundled, and of Node. Features that added modules: `blame`
 * and telemetry (60); changes that solved errors, in the search (9); a process that answers (4); archived sessions,
 * unanswered inputs, beginnings of turns and runs at their limit of steps (4); rules of several agents, pins and tags
 * (3); aborted calls, mirrors and marks of projects (3); compressed lists of the guard and texts in mirrors (3); work
 * trees of mirrors (2); lines of lists (2); entry and flags of `approvals` (2); one each: hidden sessions, the layout
 * of archives, late optimization by V8, open texts, opencode's states, programs of killed processes, numbers of turns
 * and words, bounded collections, texts of sessions that lists know, the fold of continuous sessions, frames of chats,
 * the append of new events, work that is done once for all who need it
 */
const LIMITS: readonly (readonly [command: string, limits: WorkCounts])[] = [
  [
    "list --limit 20",
    {
      stats: 115,
      folders: 57,
      opened: 7,
      bytesRead: 500,
      bytesWritten: 500,
      parsedTexts: 25,
      parsedChars: 21_000,
      rows: 86,
      statements: 15,
      databaseRead: 135_000,
      databaseWritten: 0,
      modules: 725,
      youngCollections: 75,
    },
  ],
  [
    "list --json --all",
    {
      stats: 120,
      folders: 75,
      opened: 7,
      bytesRead: 500,
      bytesWritten: 500,
      parsedTexts: 60,
      parsedChars: 52_000,
      rows: 106,
      statements: 15,
      databaseRead: 135_000,
      databaseWritten: 0,
      modules: 725,
      youngCollections: 75,
    },
  ],
  [
    "search --json middle",
    {
      stats: 130,
      folders: 75,
      opened: 11,
      bytesRead: 500,
      bytesWritten: 5_000,
      parsedTexts: 25,
      parsedChars: 79_000,
      rows: 232,
      statements: 43,
      databaseRead: 310_000,
      databaseWritten: 0,
      modules: 990,
      youngCollections: 95,
    },
  ],
  [
    "search --json nothing0that0is0there",
    {
      stats: 128,
      folders: 75,
      opened: 9,
      bytesRead: 500,
      bytesWritten: 500,
      parsedTexts: 4,
      parsedChars: 5_000,
      rows: 175,
      statements: 22,
      databaseRead: 235_000,
      databaseWritten: 0,
      modules: 990,
      youngCollections: 95,
    },
  ],
  [
    "search --json tool:Bash",
    {
      stats: 130,
      folders: 75,
      opened: 11,
      bytesRead: 500,
      bytesWritten: 5_000,
      parsedTexts: 25,
      parsedChars: 115_000,
      rows: 222,
      statements: 43,
      databaseRead: 310_000,
      databaseWritten: 0,
      modules: 990,
      youngCollections: 95,
    },
  ],
  [
    "search --json --regex middle",
    {
      stats: 130,
      folders: 75,
      opened: 11,
      bytesRead: 500,
      bytesWritten: 5_000,
      parsedTexts: 86,
      parsedChars: 620_000,
      rows: 385,
      statements: 104,
      databaseRead: 525_000,
      databaseWritten: 0,
      modules: 990,
      youngCollections: 95,
    },
  ],
];

test.each(LIMITS)("%s does not exceed its limits of work", (command, limits) => {
  expectNear(run(command.split(" ")), limits);
});

/**
 * A list without an index, and a fill of the index, are counted when they create the home for the other tests.
 * - `opened`, `bytesRead`: each file is read once or twice; data in a database counts as `databaseRead`
 * - `databaseWritten`: the index has 1 MB; a list stores only rows
 * - `youngCollections` of the list: 70 were counted while other tests ran; they vary by a tenth
 */
const BEGINNING: readonly (readonly [command: string, limits: WorkCounts])[] = [
  [
    "list --json --all, without an index",
    {
      stats: 196,
      folders: 75,
      opened: 134,
      bytesRead: 1_728_000,
      bytesWritten: 0,
      parsedTexts: 258,
      parsedChars: 139_000,
      rows: 299,
      statements: 148,
      databaseRead: 107_500,
      databaseWritten: 207_000,
      modules: 758,
      youngCollections: 77,
    },
  ],
  [
    "index rebuild --json",
    {
      stats: 645,
      folders: 182,
      opened: 153,
      bytesRead: 3_147_000,
      bytesWritten: 0,
      parsedTexts: 1_643,
      parsedChars: 1_222_000,
      rows: 999,
      statements: 1_009,
      databaseRead: 734_000,
      databaseWritten: 1_120_000,
      modules: 949,
      youngCollections: 135,
    },
  ],
];

test.each(BEGINNING)("%s, does not exceed its limits of work", (command, limits) => {
  const counts = begun.get(command);
  if (counts === undefined) throw new Error(`${command} was not counted`);
  expectNear(counts, limits);
});

test("the limit of a steady count is loose if it is more than a tenth, and more than 3, above the count", () => {
  const counts = { stats: 100, rows: 5, opened: 0, bytesRead: 10 };
  expect(looseLimits(counts, { stats: 110, rows: 8, opened: 3, bytesRead: 500 })).toEqual([]);
  expect(looseLimits(counts, { stats: 111, rows: 9, opened: 4 })).toEqual([
    ["stats", 111],
    ["opened", 4],
    ["rows", 9],
  ]);
});
