/**
 * The work of showing a session of opencode and of handing sessions over, counted like that of a list. A limit may grow
 * only with a line here that gives the reason.
 */

import { beforeAll, describe, expect, test } from "vitest";
import type { WorkCounts } from "../counting/preload.ts";
import { type CountedSessions, makeCountedSessions } from "../counting/sessions.ts";
import { expectNear } from "../counting/work.ts";

const TEST_MS = 240_000;

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
      opened: 7,
      bytesRead: 120_000,
      bytesWritten: 0,
      parsedTexts: 121,
      parsedChars: 300_000,
      rows: 200,
      statements: 66,
      databaseRead: 420_000,
      databaseWritten: 0,
      modules: 1_040,
      youngCollections: 105,
    },
  ],
];

describe("session show of half a megabyte does not exceed its limits of work, of", () => {
  test.each(SHOWN)("%s", (agent, limits) => expectNear(sessions.show(agent), limits), TEST_MS);
});

/**
 * The limits apply to any two agents that keep files. Files in the folder for scratch files count too, since limits of
 * `stats`, `folders`, `opened`, `bytesRead` and `bytesWritten` grew for them: the compressed copy of the source's
 * records, and the new session in its private home, which is written there, read back, and written in its place. The
 * limit of `stats` is that of opencode to Claude Code, which looks at most files.
 */
const HAND_OVER: WorkCounts = {
  stats: 125,
  folders: 27,
  opened: 25,
  bytesRead: 1_097_000,
  bytesWritten: 944_000,
  parsedTexts: 450,
  parsedChars: 650_000,
  rows: 70,
  statements: 52,
  databaseRead: 430_000,
  databaseWritten: 450_000,
  // Features that added modules: the lines of lists (2), the entry and flags of `approvals` (2), opencode's sessions
  // (4), the fold of continuous sessions, which the wire exports (1), bounded collections (1), the single pass over the
  // records of a source (1), the schema of MCP servers (1), and work that is done once for all who need it (1).
  modules: 1_257,
  youngCollections: 135,
};

/**
 * The sources differ in size: Claude Code's has 650 kB, Codex's 370 kB, the others 280 kB. Data in opencode's database
 * is read and written by rows.
 */
const HANDED_OVER: readonly (readonly [from: string, to: string, limits: Partial<WorkCounts>])[] = [
  ["claude", "codex", { bytesRead: 1_640_000, parsedChars: 1_100_000 }],
  [
    "codex",
    "claude",
    { folders: 23, opened: 23, bytesRead: 1_749_000, parsedTexts: 424, parsedChars: 800_000 },
  ],
  ["gemini", "pi", { folders: 24, opened: 22, parsedTexts: 141, databaseWritten: 367_000 }],
  [
    "pi",
    "opencode",
    {
      // The private home has a file with the new session, which `bytesWritten` includes; the user's has rows.
      bytesWritten: 436_000,
      opened: 19,
      parsedTexts: 97,
      parsedChars: 950_000,
      rows: 217,
      statements: 333,
      databaseRead: 950_000,
      databaseWritten: 600_000,
    },
  ],
  [
    "opencode",
    "claude",
    {
      opened: 20,
      parsedTexts: 288,
      rows: 230,
      statements: 104,
      databaseRead: 750_000,
      databaseWritten: 371_000,
    },
  ],
];

describe("a hand-over of half a megabyte does not exceed its limits of work, from", () => {
  test.each(HANDED_OVER)(
    "%s to %s",
    (from, to, limits) => expectNear(sessions.handOver(from, to), { ...HAND_OVER, ...limits }, ["stats"]),
    TEST_MS,
  );
});

/** A heap of this size holds two megabytes of a session, so the others are longer than that. */
const SMALL_HEAP_MB = 64;
const LONG_BYTES = 4_000_000;
/** The same hand-over in memory writes 7.2 MB, and the texts and outlines of a session through files are as long again. */
const SPILLED_BYTES = 15_000_000;

/**
 * The messages of the source, of the new session and of what was read back are each in two files, from which every
 * step reads the texts that it needs.
 */
test(
  "a hand-over of four megabytes with a heap of 64 MB keeps its messages in files, within its limits of work",
  async () => {
    const long = await makeCountedSessions(LONG_BYTES);
    const counts = long.handOver("claude", "codex", { heapMb: SMALL_HEAP_MB });
    expect(counts.bytesWritten).toBeGreaterThan(SPILLED_BYTES);
    expectNear(
      counts,
      {
        stats: 115,
        folders: 25,
        opened: 36,
        // `bytesRead` grew by 6 MB when a shelf kept half as many outlines in memory.
        bytesRead: 65_600_000,
        bytesWritten: 19_690_000,
        parsedTexts: 7_070,
        parsedChars: 20_700_000,
        rows: 718,
        statements: 199,
        databaseRead: 430_000,
        databaseWritten: 752_000,
        modules: 1_310,
        youngCollections: 347,
      },
      ["stats"],
    );
  },
  2 * TEST_MS,
);
