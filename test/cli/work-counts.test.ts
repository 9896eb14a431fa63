/**
 * The work that lists and searches do on a home whose index is full: counted, because a count is the same on every
 * machine and at every load. A limit grows only together with a line here that says why.
 */

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, test } from "vitest";
import { makeCorpus } from "../../bench/sessions/corpus.ts";
import type { WorkCounts } from "../counting/preload.ts";
import { countWork, expectWithin, MAIN } from "../counting/work.ts";
import { scratchFolder } from "../scratch-folder.ts";

const SESSIONS = 60;
const SETTLING_MS = 2_500;

const scratch = scratchFolder("counts");
let home: string;
/** The work of the commands that make the home ready for the others. */
const begun = new Map<string, WorkCounts>();
beforeAll(async () => {
  home = makeCorpus({ name: "counted", sessions: SESSIONS, totalBytes: 600_000 }, scratch);
  // A file that was written in the last moments may still change unnoticed, so it is read again each time.
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
 * - `stats`: every session is looked at once, a few of them also at the files next to it;
 * - `folders`: each folder of Codex, which Node's own recursion, four times as slow, listed without being counted
 * - `bytesRead`, `bytesWritten`: a search writes the numbers of its results; the index and databases are SQLite's
 * - `statements`, `databaseRead`, `databaseWritten`: the index is 500 kB, so a list reads a fifth of it; neither writes to it
 * - `youngCollections`: megabytes of new objects, about, of which a third loads the sources; they vary by a tenth
 * - `parsedTexts`: a list parses the rows that it shows, and nothing of the others; a search the short answers about
 *   files of several agents, the rows of sessions that it shows, and a chunk for each result
 *   a list of all as JSON parses a row for each session; since one ran before, the index has all rows whole, which are longer
 * - `rows`, `statements`: a search reads the turns of the sessions that it shows again, and less of all others; one
 *   statement reads the facts of the sessions that it shows, which were read of all sessions before
 * - `modules`: those of the sources and of Node, before they are bundled; `blame` and telemetry brought sixty, and
 *   the look for a process that answers brought four and one of the `stats`, and the look for hidden sessions one;
 *   the guard's folder is looked for twice;
 *   the rules that several agents share, and pins and tags, stand in three files of their own,
 *   and so does the layout of archives, which the bundle leaves out; so are calls that their signal ended, mirrors and marks
 *   of projects (three files), the work trees of mirrors (two), the guard's compressed lists and texts in mirrors (three), and
 *   with the search the changes that solved errors (nine more); archived sessions, unanswered inputs, the beginnings of turns and
 *   runs that reached their limit of steps are four; what lets V8 optimize late is one, and so are what keeps texts open, and the
 *   states of opencode's sessions, which a search parses: 60 characters each, of one row of the index;
 *   programs that a killed process left are one; the lines by which lists know sessions are two, and a list no longer
 *   parses the answers about all files; the door and the flags of `approvals` are two, as of each command;
 *   the numbers of turns and words, which rank turns, are one, and so are the bound of collections that grow, the
 *   texts of sessions that lists know, the fold of continuous sessions, the frames of chats, and the append of new events
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
      folders: 76,
      opened: 7,
      bytesRead: 500,
      bytesWritten: 500,
      parsedTexts: 62,
      parsedChars: 52_000,
      rows: 110,
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
      rows: 280,
      statements: 43,
      databaseRead: 310_000,
      databaseWritten: 0,
      modules: 989,
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
      modules: 989,
      youngCollections: 95,
    },
  ],
];

test.each(LIMITS)("%s does not exceed its limits of work", (command, limits) => {
  expectWithin(run(command.split(" ")), limits);
});

/**
 * A list without an index and a fill are counted once, when they begin the home of the others.
 * - `opened`, `bytesRead`: each file is read once or twice; what lies in a database is `databaseRead`
 * - `databaseRead` of the list: the database of opencode is opened once, not for each session
 * - `databaseWritten`: the index is 1 MB; a list stores only rows
 * - `youngCollections` of the list: 70 were counted while other tests ran, and they vary by a tenth
 */
const BEGINNING: readonly (readonly [command: string, limits: WorkCounts])[] = [
  [
    "list --json --all, without an index",
    {
      stats: 203,
      folders: 75,
      opened: 139,
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
      stats: 658,
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
  expectWithin(counts, limits);
});
