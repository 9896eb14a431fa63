/**
 * The work of showing a session and of appending to a log, counted like that of a list. A limit may grow only with a
 * line here that gives the reason. `work-of-hand-overs.full.test.ts` counts other sessions, and hand-overs.
 */

import { join } from "node:path";
import { beforeAll, describe, test } from "vitest";
import type { WorkCounts } from "../counting/preload.ts";
import { type CountedSessions, makeCountedSessions } from "../counting/sessions.ts";
import { expectWithin } from "../counting/work.ts";

const TEST_MS = 60_000;

let sessions: CountedSessions;
beforeAll(async () => {
  sessions = await makeCountedSessions();
}, TEST_MS);

/**
 * The source is read once, and Continuo's own store is opened, because the session may be in it. The tests run in any
 * order: after another command, one more session has to be looked up. The lines of lists add two modules, and so do the
 * entry and the flags of `approvals`.
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
];

describe("session show of half a megabyte does not exceed its limits of work, of", () => {
  test.each(SHOWN)("%s", (agent, limits) => expectWithin(sessions.show(agent), limits), TEST_MS);
});

const APPENDS = 200;
/** Opening a store is counted too. */
const OPENING = { stats: 35, statements: 180, rows: 680, databaseRead: 450_000, databaseWritten: 600_000 };

test("an append of one event looks at two names, runs seven statements and writes five pages", () => {
  const counts = sessions.run(join(import.meta.dirname, "../counting/appends.ts"), String(APPENDS));
  expectWithin(counts, {
    // The store checks the folder before and after each transaction.
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

test("an append of 100 events writes ten of them by each statement", () => {
  const appends = 20;
  const program = join(import.meta.dirname, "../counting/appends.ts");
  const counts = sessions.run(program, String(appends), String(100));
  expectWithin(counts, {
    stats: OPENING.stats + 2 * appends,
    opened: 2,
    // Six statements are those of an append of one event; the others write the events. Opening takes fewer here.
    statements: 20 + (6 + 10) * appends,
    rows: OPENING.rows + 2 * appends,
    // The index of ids is read where an id is looked for.
    databaseRead: 2_000_000,
    databaseWritten: 2_250 * 100 * appends,
    parsedTexts: 100 * appends,
  });
});
