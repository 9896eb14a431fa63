/**
 * The work of showing a session and of appending to a log, counted like that of a list. A limit may grow only with a
 * line here that gives the reason. `work-of-hand-overs.full.test.ts` counts other sessions, and hand-overs.
 */

import { join } from "node:path";
import { beforeAll, describe, test } from "vitest";
import type { WorkCounts } from "../counting/preload.ts";
import { type CountedSessions, makeCountedSessions } from "../counting/sessions.ts";
import { expectNear, expectWithin } from "../counting/work.ts";

const TEST_MS = 60_000;

const APPENDING = join(import.meta.dirname, "../counting/appends.ts");

let sessions: CountedSessions;
/** The work of the first append, which creates the store. */
let created: WorkCounts;
beforeAll(async () => {
  sessions = await makeCountedSessions();
  created = sessions.run(APPENDING, "1");
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
      stats: 43,
      folders: 15,
      opened: 5,
      bytesRead: 750_000,
      bytesWritten: 0,
      parsedTexts: 147,
      parsedChars: 660_000,
      rows: 41,
      statements: 12,
      databaseRead: 66_000,
      databaseWritten: 0,
      modules: 1_035,
      youngCollections: 105,
    },
  ],
];

describe("session show of half a megabyte does not exceed its limits of work, of", () => {
  test.each(SHOWN)("%s", (agent, limits) => expectNear(sessions.show(agent), limits), TEST_MS);
});

/** A folder that changed a moment ago is looked at more closely, so `stats` depends on the speed of the machine. */
const OPENING = { stats: 35 };

test("the first append, which creates the store, does not exceed its limits of work", () => {
  expectWithin(created, OPENING);
  expectNear(created, {
    opened: 2,
    statements: 187,
    rows: 682,
    databaseRead: 450_000,
    databaseWritten: 600_000,
    parsedTexts: 1,
  });
});

const APPENDS = 200;

test("an append of one event looks at two names, runs seven statements and writes five pages", () => {
  const counts = sessions.run(APPENDING, String(APPENDS));
  // The store checks the folder before and after each transaction.
  expectWithin(counts, { stats: OPENING.stats + 2 * APPENDS });
  expectNear(counts, {
    opened: 2,
    // The transaction begins and ends; the log, the lease and the id are looked up; the event and the head are written.
    statements: 20 + 7 * APPENDS,
    rows: 15 + 2 * APPENDS,
    databaseRead: 450_000,
    databaseWritten: 5 * 4_120 * APPENDS,
    parsedTexts: APPENDS,
  });
});

test("an append of 100 events writes ten of them by each statement", () => {
  const appends = 20;
  const counts = sessions.run(APPENDING, String(appends), String(100));
  expectWithin(counts, { stats: OPENING.stats + 2 * appends });
  expectNear(counts, {
    opened: 2,
    // Six statements are those of an append of one event; the others write the events.
    statements: 20 + (6 + 10) * appends,
    rows: 15 + 2 * appends,
    // The index of ids is read where an id is looked for.
    databaseRead: 2_000_000,
    databaseWritten: 2_250 * 100 * appends,
    parsedTexts: 100 * appends,
  });
});
