/**
 * The work of showing a session of opencode and of handing sessions over, counted like that of a list. A limit may grow
 * only with a line here that gives the reason.
 */

import { beforeAll, describe, test } from "vitest";
import type { WorkCounts } from "../counting/preload.ts";
import { type CountedSessions, makeCountedSessions } from "../counting/sessions.ts";
import { expectWithin } from "../counting/work.ts";

const TEST_MS = 60_000;

let sessions: CountedSessions;
beforeAll(async () => {
  sessions = await makeCountedSessions();
  // The first hand-over creates the store.
  sessions.handOver("pi", "codex");
}, TEST_MS);

const SHOWN: readonly (readonly [agent: string, limits: WorkCounts])[] = [
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
      modules: 1_039,
      youngCollections: 105,
    },
  ],
];

describe("session show of half a megabyte does not exceed its limits of work, of", () => {
  test.each(SHOWN)("%s", (agent, limits) => expectWithin(sessions.show(agent), limits), TEST_MS);
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
  // Features that added modules: the lines of lists (2), the entry and flags of `approvals` (2), opencode's sessions
  // (4), the fold of continuous sessions, which the wire exports (1), bounded collections (1), and the single pass over
  // the records of a source (1).
  modules: 1_255,
  youngCollections: 135,
};

/**
 * The sources differ in size: Claude Code's has 650 kB, Codex's 370 kB, the others 280 kB. Data in opencode's database
 * is read and written by rows.
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
    (from, to, limits) => expectWithin(sessions.handOver(from, to), { ...HAND_OVER, ...limits }),
    TEST_MS,
  );
});
