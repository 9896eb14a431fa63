/** Sessions that Gemini CLI's own list hides: named, brought back and undone. The real one confirms it in `test/agents/lost/`. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { GEMINI_RECIPES, GEMINI_TALK, geminiHead, geminiPath, writeGemini } from "./gemini-recipes.ts";
import { hiddenIn, proveRecipes } from "./prove.ts";
import { type LostHome, makeLostHome, writeText } from "./recipe.ts";

const scratch = mkdtempSync(join(tmpdir(), "continuo-lost-gemini-"));
afterAll(() => rmSync(scratch, { recursive: true }));

proveRecipes("gemini", GEMINI_RECIPES);

/** Sessions that look like hidden ones, and that the list shows or nobody misses. */
const LISTED: readonly (readonly [string, (home: LostHome) => void])[] = [
  [
    "a project that a later record names",
    (home) =>
      writeGemini(home, [geminiHead(home, { projectHash: undefined }), ...GEMINI_TALK, geminiHead(home)]),
  ],
  [
    "a session with only notes",
    (home) => writeGemini(home, [geminiHead(home), { id: "m1", type: "info", content: "Logged in" }]),
  ],
  [
    "a file that is no session",
    (home) => {
      writeGemini(home, [geminiHead(home), ...GEMINI_TALK]);
      writeText(geminiPath(home, "chats", "notes.json"), "[]");
    },
  ],
];

test.each(LISTED)("%s is not missed", async (_title, make) => {
  const home = makeLostHome(mkdtempSync(join(scratch, "listed-")));
  make(home);
  expect(await hiddenIn(home, "gemini")).toEqual([]);
});
