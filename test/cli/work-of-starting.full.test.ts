/**
 * The work of importing the library, of commands that no other test counts, of runs and of evidence. Limits are at most
 * 5 % above the counts, and may grow only with a line here that gives the reason.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { WorkCounts } from "../counting/preload.ts";
import { type CountedSessions, makeCountedSessions } from "../counting/sessions.ts";
import { addedWork, countWork, expectNear, expectWithin, MAIN } from "../counting/work.ts";
import { scratchFolder } from "../scratch-folder.ts";
import { createTalkHome } from "./talk.ts";

const TEST_MS = 120_000;
const ROOT = join(import.meta.dirname, "../..");
const PROGRAM = join(ROOT, "test/counting/runs.ts");

let sessions: CountedSessions;
beforeAll(async () => {
  sessions = await makeCountedSessions();
}, TEST_MS);

const NOTHING: WorkCounts = {
  stats: 0,
  folders: 0,
  opened: 0,
  bytesRead: 0,
  bytesWritten: 0,
  parsedTexts: 0,
  parsedChars: 0,
  rows: 0,
  statements: 0,
  databaseRead: 0,
  databaseWritten: 0,
  modules: 0,
  youngCollections: 0,
};

test("the work of fs/promises is counted like that of fs", () => {
  const scratch = scratchFolder("counted-promises");
  // Node itself looks at the program, so it is not below the home.
  const [program, home] = [join(scratch, "program.mjs"), join(scratch, "user")];
  const lines = [
    'import { open, readdir, readFile, stat, writeFile } from "node:fs/promises";',
    "const [path, folder] = [process.env.HOME + '/five', process.env.HOME];",
    'await writeFile(path, "hello");',
    "await stat(path); await readdir(folder); await readFile(path);",
    'const handle = await open(path, "r+");',
    'await handle.read(Buffer.alloc(3), 0, 3, 0); await handle.write("ab"); await handle.close();',
  ];
  writeFileSync(program, lines.join("\n"));
  const continuoHome = join(home, "own");
  mkdirSync(continuoHome, { recursive: true });
  const { stats, folders, opened, bytesRead, bytesWritten } = countWork({ program, home, continuoHome });
  const expected = { stats: 1, folders: 1, opened: 2, bytesRead: 8, bytesWritten: 7 };
  expect({ stats, folders, opened, bytesRead, bytesWritten }).toEqual(expected);
});

test("the work of streams of files is counted, and that of scratch files", () => {
  const scratch = scratchFolder("counted-streams");
  const [program, home] = [join(scratch, "program.mjs"), join(scratch, "user")];
  const lines = [
    'import { createReadStream, createWriteStream } from "node:fs";',
    'import { tmpdir } from "node:os"; import { join } from "node:path"; import { pipeline } from "node:stream/promises";',
    "const path = join(tmpdir(), 'eleven');",
    'await pipeline(["hello ", "world"], createWriteStream(path));',
    "await createReadStream(path).toArray();",
  ];
  writeFileSync(program, lines.join("\n"));
  const continuoHome = join(home, "own");
  mkdirSync(continuoHome, { recursive: true });
  const { opened, bytesRead, bytesWritten } = countWork({ program, home, continuoHome });
  expect({ opened, bytesRead, bytesWritten }).toEqual({ opened: 2, bytesRead: 11, bytesWritten: 11 });
});

const ENTRIES: readonly (readonly [entry: string, limits: Partial<WorkCounts>])[] = [
  ["src/index.ts", { modules: 557, youngCollections: 51 }],
  ["packages/store/src/store/index.ts", { modules: 147, youngCollections: 12 }],
];

describe("an import looks at no file of a person and does not exceed its limits of work, of", () => {
  test.each(ENTRIES)(
    "%s",
    (entry, limits) => expectNear(sessions.run(join(ROOT, entry)), { ...NOTHING, ...limits }),
    TEST_MS,
  );
});

test(
  "an export of a session of half a megabyte does not exceed its limits of work",
  () => {
    expectNear(sessions.export("claude"), {
      stats: 42,
      folders: 14,
      opened: 5,
      bytesRead: 745_000,
      bytesWritten: 0,
      parsedTexts: 147,
      parsedChars: 681_000,
      rows: 40,
      statements: 11,
      databaseRead: 22_000,
      databaseWritten: 0,
      modules: 841,
      youngCollections: 84,
    });
  },
  TEST_MS,
);

test(
  "stats reads each session once, and no session the second time",
  () => {
    expectNear(sessions.run(MAIN, "stats", "--json"), {
      stats: 64,
      folders: 15,
      opened: 12,
      bytesRead: 1_745_000,
      bytesWritten: 0,
      parsedTexts: 610,
      parsedChars: 1_959_000,
      rows: 203,
      statements: 73,
      databaseRead: 412_000,
      databaseWritten: 26_400,
      modules: 950,
      youngCollections: 94,
    });
    expectNear(sessions.run(MAIN, "stats", "--json"), {
      stats: 38,
      folders: 13,
      opened: 2,
      bytesRead: 30,
      bytesWritten: 0,
      parsedTexts: 9,
      parsedChars: 4_100,
      rows: 49,
      statements: 16,
      databaseRead: 39_000,
      databaseWritten: 0,
      modules: 950,
      youngCollections: 79,
    });
  },
  TEST_MS,
);

/**
 * The agent is a script, and the home has no store yet. Names in a folder that changed a moment ago are checked again.
 */
test(
  "a chat of one turn does not exceed its limits of work",
  () => {
    const home = createTalkHome();
    const cwd = join(home.path, "project");
    const continuoHome = join(home.path, ".continuo");
    expectWithin(countWork({ program: MAIN, args: ["chat", "hello"], home: home.path, continuoHome, cwd }), {
      stats: 110,
      folders: 3,
      opened: 19,
      bytesRead: 2_700,
      bytesWritten: 1_650,
      parsedTexts: 52,
      parsedChars: 12_900,
      rows: 718,
      statements: 255,
      databaseRead: 271_000,
      databaseWritten: 804_000,
      modules: 1_280,
      youngCollections: 121,
    });
  },
  TEST_MS,
);

/** Returns the work of a hundred additional runs or pieces of evidence, without the work of opening the store. */
function countHundred(what: "runs" | "evidence"): WorkCounts {
  const [few, many] = [20, 120].map((count) => sessions.run(PROGRAM, what, String(count)));
  return addedWork(few, many);
}

test(
  "a hundred more runs look at two names for each of five commits, and do not exceed their limits of work",
  () => {
    const counts = countHundred("runs");
    expect(counts.stats).toBeGreaterThan(0);
    expectNear(counts, {
      ...NOTHING,
      stats: 1_050,
      parsedTexts: 2_520,
      parsedChars: 590_000,
      rows: 2_740,
      statements: 5_470,
      databaseRead: 808_000,
      databaseWritten: 21_370_000,
      youngCollections: 68,
    });
  },
  TEST_MS,
);

/** The numbers of statements and rows depend on the number of pieces in one transaction of notes. */
test(
  "a hundred more pieces of evidence do not exceed their limits of work",
  () => {
    const counts = countHundred("evidence");
    expect(counts.stats).toBeGreaterThan(0);
    expectWithin(counts, {
      ...NOTHING,
      // A commit looks at two names. The limit of `stats` grew, since a busy machine made 108 commits for a hundred pieces.
      stats: 220,
      parsedTexts: 422,
      parsedChars: 29_500,
      rows: 500,
      statements: 1_130,
      databaseRead: 50_000,
      databaseWritten: 2_810_000,
      youngCollections: 18,
    });
  },
  TEST_MS,
);
