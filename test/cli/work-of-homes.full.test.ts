/**
 * The work of lists and searches on homes of two sizes. The limits apply to the work that the additional sessions
 * cause, so that the work for each session cannot grow unnoticed. Searches without an index and the first screen of a
 * session are counted too. Limits are at most 5 % above the counts, and may grow only with a line here that gives the
 * reason.
 */

import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { makeHomes, SIZES } from "../counting/homes.ts";
import type { WorkCounts } from "../counting/preload.ts";
import { type CountedSessions, makeCountedSessions } from "../counting/sessions.ts";
import { addedWork, countWork, expectWithin, MAIN } from "../counting/work.ts";
import { scratchFolder } from "../scratch-folder.ts";

const TEST_MS = 240_000;

const COMMANDS = [
  "list --limit 20",
  "list --json --all",
  "search --json middle",
  "search --json nothing0that0is0there",
];

const scratch = scratchFolder("counted-homes");
/** The counts of each command, by the number of sessions. */
const counted = new Map<number, ReadonlyMap<string, WorkCounts>>();
const searched = new Map<string, WorkCounts>();
let sessions: CountedSessions;

beforeAll(async () => {
  for (const [sessions, home] of await makeHomes(scratch)) {
    const run = (command: string, name: string): WorkCounts =>
      countWork({
        program: MAIN,
        args: command.split(" "),
        home,
        continuoHome: join(scratch, `${name}-${sessions}`),
      });
    if (sessions === SIZES[1])
      for (const command of COMMANDS.slice(2)) searched.set(command, run(command, "without-index"));
    run("index rebuild --json", "indexed");
    // The first lists store their results for each file.
    for (const command of COMMANDS.slice(0, 2)) run(command, "indexed");
    counted.set(sessions, new Map(COMMANDS.map((command) => [command, run(command, "indexed")])));
  }
  sessions = await makeCountedSessions();
}, TEST_MS);

/** Returns the work of a command for the sessions that only the larger home has. */
function addedBy(command: string): WorkCounts {
  const [few, many] = SIZES.map((sessions) => counted.get(sessions)?.get(command));
  return addedWork(few, many);
}

/**
 * The reasons for the limits:
 * - `stats`, `folders`: the larger home has more projects, each with a folder for every agent
 * - `opened`: one file in each folder of Gemini CLI, which names the project
 * - `databaseRead`: pages of the index; each line takes about a hundred bytes, and so does each session of opencode
 * - `rows` of the list: the sessions of opencode; the rows and lines of all other sessions are in one row
 * - `rows` of a search: the stored sessions and their stamps, and the turns that match
 *
 * `youngCollections` has no limit: loading the sources causes most of them, and they vary by more than the difference.
 */
const ADDED: readonly (readonly [command: string, limits: Omit<WorkCounts, "youngCollections">])[] = [
  [
    "list --limit 20",
    {
      stats: 175,
      folders: 80,
      opened: 12,
      bytesRead: 360,
      bytesWritten: 0,
      parsedTexts: 0,
      parsedChars: 10_500,
      rows: 17,
      statements: 0,
      databaseRead: 77_000,
      databaseWritten: 0,
      modules: 0,
    },
  ],
  [
    "list --json --all",
    {
      stats: 198,
      folders: 101,
      opened: 12,
      bytesRead: 360,
      bytesWritten: 0,
      parsedTexts: 141,
      parsedChars: 125_000,
      rows: 157,
      statements: 0,
      databaseRead: 227_000,
      databaseWritten: 0,
      modules: 0,
    },
  ],
  [
    "search --json middle",
    {
      stats: 199,
      folders: 101,
      opened: 12,
      bytesRead: 360,
      bytesWritten: 100,
      parsedTexts: 2,
      parsedChars: 1_000,
      rows: 505,
      statements: 0,
      databaseRead: 429_000,
      databaseWritten: 0,
      modules: 0,
    },
  ],
  [
    "search --json nothing0that0is0there",
    {
      stats: 199,
      folders: 101,
      opened: 12,
      bytesRead: 360,
      bytesWritten: 0,
      parsedTexts: 0,
      parsedChars: 10_700,
      rows: 330,
      statements: 0,
      databaseRead: 378_000,
      databaseWritten: 0,
      modules: 0,
    },
  ],
];

describe("150 more sessions do not add more than their limits of work to", () => {
  test.each(ADDED)("%s", (command, limits) => {
    const added = addedBy(command);
    expectWithin(added, limits);
    // A list that checked no additional session would be wrong.
    expect(added.stats).toBeGreaterThanOrEqual(SIZES[1] - SIZES[0]);
  });
});

/**
 * These are more sessions than a search adds to the index before it answers, and fewer bytes than those for which it
 * starts threads.
 * - `opened`, `bytesRead`: each file is read once to filter it and to look at its lines; `middle` is in nearly every
 * session, so many files are read again by their readers; for the word that no session has, no file is read again
 */
const SEARCHED: readonly (readonly [command: string, limits: WorkCounts])[] = [
  [
    "search --json middle",
    {
      stats: 1_065,
      folders: 219,
      opened: 530,
      bytesRead: 8_580_000,
      bytesWritten: 2_450,
      parsedTexts: 4_340,
      parsedChars: 3_317_000,
      rows: 2_706,
      statements: 541,
      databaseRead: 2_804_000,
      databaseWritten: 177_000,
      modules: 1_038,
      youngCollections: 200,
    },
  ],
  [
    "search --json nothing0that0is0there",
    {
      stats: 492,
      folders: 173,
      opened: 229,
      bytesRead: 3_667_000,
      bytesWritten: 15,
      parsedTexts: 87,
      parsedChars: 39_900,
      rows: 1_062,
      statements: 175,
      databaseRead: 1_343_000,
      databaseWritten: 0,
      modules: 1_035,
      youngCollections: 98,
    },
  ],
];

describe("200 sessions without an index do not exceed the limits of work of", () => {
  test.each(SEARCHED)("%s", (command, limits) => {
    const counts = searched.get(command);
    if (counts === undefined) throw new Error(`${command} was not counted`);
    expectWithin(counts, limits);
    // Each session of a file is read at least once.
    expect(counts.opened).toBeGreaterThan(SIZES[1] * 0.8);
  });
});

/** `youngCollections` has no limit: the same screen of Claude Code had 61 and, after other programs, 94. */
const SCREENS: readonly (readonly [agent: string, limits: Omit<WorkCounts, "youngCollections">])[] = [
  [
    "claude",
    {
      stats: 44,
      folders: 13,
      opened: 3,
      bytesRead: 681_000,
      bytesWritten: 0,
      parsedTexts: 147,
      parsedChars: 681_000,
      rows: 39,
      statements: 10,
      databaseRead: 21_500,
      databaseWritten: 0,
      modules: 990,
    },
  ],
  [
    "codex",
    {
      stats: 37,
      folders: 12,
      opened: 4,
      bytesRead: 393_000,
      bytesWritten: 0,
      parsedTexts: 246,
      parsedChars: 390_000,
      rows: 39,
      statements: 10,
      databaseRead: 21_500,
      databaseWritten: 0,
      modules: 990,
    },
  ],
  [
    "opencode",
    {
      stats: 44,
      folders: 12,
      opened: 3,
      bytesRead: 30,
      bytesWritten: 0,
      parsedTexts: 117,
      parsedChars: 291_000,
      rows: 195,
      statements: 59,
      databaseRead: 382_000,
      databaseWritten: 0,
      modules: 990,
    },
  ],
];

describe("the first screen in a terminal, of half a megabyte, does not exceed its limits of work, of", () => {
  test.each(SCREENS)(
    "%s",
    (agent, limits) => {
      const counts = sessions.screen(agent);
      expectWithin(counts, limits);
      expect(counts.parsedTexts).toBeGreaterThan(0);
    },
    TEST_MS,
  );
});
