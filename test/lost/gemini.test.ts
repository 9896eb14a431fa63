/**
 * Sessions that Gemini CLI's own list hides are named, restored and hidden again. The real program confirms this in
 * `test/agents/lost/`.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { returnHiddenSession } from "@continuo/native/editing";
import { afterAll, expect, test } from "vitest";
import {
  agedHead,
  DEFAULT_RETENTION,
  GEMINI_RECIPES,
  GEMINI_TALK,
  geminiHead,
  geminiPath,
  NAMESAKE,
  oldFormat,
  oldPath,
  PARENT,
  STUB_NAME,
  setRetention,
  writeGemini,
  writeProject,
} from "./gemini-recipes.ts";
import { hiddenIn, proveRecipes } from "./prove.ts";
import { type LostHome, makeLostHome, placesOfHome, snapshotOf, toLines, writeText } from "./recipe.ts";

const scratch = mkdtempSync(join(tmpdir(), "continuo-lost-gemini-"));
afterAll(() => rmSync(scratch, { recursive: true }));

proveRecipes("gemini", GEMINI_RECIPES);

/** Sessions that look like hidden ones, but that the list shows or no person misses. */
const LISTED: readonly (readonly [string, (home: LostHome) => void])[] = [
  [
    "a project that only a later record names",
    (home) =>
      writeGemini(home, [geminiHead(home, { projectHash: undefined }), ...GEMINI_TALK, geminiHead(home)]),
  ],
  [
    "a session of 20 days",
    (home) => {
      writeGemini(home, [agedHead(home, 20), ...GEMINI_TALK]);
      setRetention(home, DEFAULT_RETENTION);
    },
  ],
  [
    "a session that began 40 days ago and was written to today",
    (home) => {
      const lastUpdated = new Date().toISOString();
      writeGemini(home, [agedHead(home, 40), ...GEMINI_TALK, { $set: { lastUpdated } }]);
      setRetention(home, DEFAULT_RETENTION);
    },
  ],
  [
    "a session of 40 days whose owner keeps all sessions",
    (home) => writeGemini(home, [agedHead(home, 40), ...GEMINI_TALK]),
  ],
  [
    "the file that a resumption left, if all sessions are kept",
    (home) => {
      writeGemini(home, [agedHead(home, 2), ...GEMINI_TALK]);
      writeGemini(home, [agedHead(home, 1)], STUB_NAME);
    },
  ],
  [
    "the newest two of two",
    (home) => {
      writeGemini(home, [agedHead(home, 5), ...GEMINI_TALK]);
      writeGemini(home, [agedHead(home, 2, { sessionId: NAMESAKE }), ...GEMINI_TALK], "session-2.jsonl");
      setRetention(home, { ...DEFAULT_RETENTION, maxCount: 2 });
    },
  ],
  [
    "sessions under settings that are refused as a whole",
    (home) => {
      writeGemini(home, [agedHead(home, 40), ...GEMINI_TALK]);
      setRetention(home, { ...DEFAULT_RETENTION, maxCount: 0 });
    },
  ],
  [
    "a session without any time",
    (home) => {
      writeGemini(home, [agedHead(home, 40, { lastUpdated: undefined }), ...GEMINI_TALK]);
      setRetention(home, DEFAULT_RETENTION);
    },
  ],
  [
    "a session of 2 days next to one of 20 days whose file name has the same ending",
    (home) => {
      writeGemini(home, [agedHead(home, 2), ...GEMINI_TALK]);
      writeGemini(home, [agedHead(home, 20, { sessionId: NAMESAKE }), ...GEMINI_TALK], STUB_NAME);
      setRetention(home, DEFAULT_RETENTION);
    },
  ],
  [
    "a folder of an older version that the next start copies",
    (home) => {
      writeProject(home);
      writeText(oldPath(home, "session-2026-11-20T10-00-7c9e6679.json"), oldFormat(geminiHead(home)));
    },
  ],
  [
    "a session that also has a file in the earlier folder",
    (home) => {
      writeGemini(home, [geminiHead(home), ...GEMINI_TALK]);
      const before = join(home.root, ".gemini", "tmp", "project-1");
      writeText(join(before, ".project_root"), home.project);
      writeText(join(before, "chats", "session-a.jsonl"), toLines([geminiHead(home), ...GEMINI_TALK]));
    },
  ],
  [
    "a folder that `projects.json` does not name, and that is marked with the project",
    (home) => {
      writeGemini(home, [geminiHead(home), ...GEMINI_TALK]);
      writeText(join(home.root, ".gemini", "projects.json"), '{"projects":{}}');
    },
  ],
  [
    "an older format that names no project",
    (home) => {
      writeProject(home);
      const path = geminiPath(home, "chats", "session-2026-11-20T10-00-7c9e6679.json");
      writeText(path, oldFormat(geminiHead(home, { projectHash: undefined })));
    },
  ],
  [
    "a file that is not a session",
    (home) => {
      writeGemini(home, [geminiHead(home), ...GEMINI_TALK]);
      writeText(geminiPath(home, "chats", "notes.json"), "[]");
    },
  ],
];

test.each(LISTED)("%s does not count as missing", async (_title, make) => {
  const home = makeLostHome(mkdtempSync(join(scratch, "listed-")));
  make(home);
  expect(await hiddenIn(home, "gemini")).toEqual([]);
});

test("a damaged session of 40 days also gets the current time, because the list would delete it", async () => {
  const home = makeLostHome(mkdtempSync(join(scratch, "damaged-")));
  writeGemini(home, [agedHead(home, 40, { projectHash: undefined }), ...GEMINI_TALK]);
  setRetention(home, DEFAULT_RETENTION);
  const [hidden] = await hiddenIn(home, "gemini");
  if (hidden === undefined) throw new Error("nothing is hidden");
  expect(hidden.cause).toBe("no_project_hash");
  await returnHiddenSession(hidden, { places: placesOfHome(home), write: "in place" });
  expect(await hiddenIn(home, "gemini")).toEqual([]);
});

test("a session is not restored if the list would then delete another one", async () => {
  const home = makeLostHome(mkdtempSync(join(scratch, "full-")));
  writeGemini(home, [agedHead(home, 3, { projectHash: undefined }), ...GEMINI_TALK]);
  for (const [days, sessionId] of [NAMESAKE, PARENT].entries())
    writeGemini(
      home,
      [agedHead(home, days + 1, { sessionId }), ...GEMINI_TALK],
      `session-${sessionId}.jsonl`,
    );
  setRetention(home, { ...DEFAULT_RETENTION, maxCount: 2 });
  const [hidden] = await hiddenIn(home, "gemini");
  if (hidden === undefined) throw new Error("nothing is hidden");
  expect(hidden.cause).toBe("no_project_hash");
  const before = snapshotOf(home);
  await expect(
    returnHiddenSession(hidden, { places: placesOfHome(home), write: "in place" }),
  ).rejects.toMatchObject({ code: "conflict", hint: expect.stringContaining("guard retention gemini") });
  expect(snapshotOf(home)).toEqual(before);
  setRetention(home, { ...DEFAULT_RETENTION, maxCount: 3 });
  await returnHiddenSession(hidden, { places: placesOfHome(home), write: "in place" });
  expect(await hiddenIn(home, "gemini")).toEqual([]);
});

test("of two files with one id, the list leaves out the older one", async () => {
  const home = makeLostHome(mkdtempSync(join(scratch, "twins-")));
  GEMINI_RECIPES.find(({ cause }) => cause === "older_twin")?.write(home);
  const [hidden] = await hiddenIn(home, "gemini");
  expect(basename(hidden?.found.location ?? "")).toBe("session-2026-11-20T10-00-7c9e6679.jsonl");
});
