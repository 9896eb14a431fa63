/**
 * Sessions that pi's own list hides are named, restored and hidden again. The real program confirms this in
 * `test/agents/lost/`.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { entry, PI_RECIPES, PI_TALK, piFolder, piHeader, piPath, writePi } from "./pi-recipes.ts";
import { hiddenIn, proveRecipes } from "./prove.ts";
import { type LostHome, makeLostHome, toLines, writeText } from "./recipe.ts";

const scratch = mkdtempSync(join(tmpdir(), "continuo-lost-pi-"));
afterAll(() => rmSync(scratch, { recursive: true }));

proveRecipes("pi", PI_RECIPES);

/** Sessions that look like hidden ones, but that the list shows. */
const LISTED: readonly (readonly [string, (home: LostHome) => void])[] = [
  [
    "a line of garbage before the header",
    (home) =>
      writeText(
        piPath(home, piFolder(home.project), "a.jsonl"),
        `garbage\n${toLines([piHeader(home), ...PI_TALK])}`,
      ),
  ],
  ["a version of the future", (home) => writePi(home, [piHeader(home, { version: 99 }), ...PI_TALK])],
  ["a session without a folder", (home) => writePi(home, [piHeader(home, { cwd: undefined }), ...PI_TALK])],
  [
    "texts and results that contain null",
    (home) => {
      const content = [{ type: "text", text: '"content": 5, [null]' }];
      const details = { list: [null], content: 5 };
      const result = {
        role: "toolResult",
        toolCallId: "c1",
        toolName: "read",
        content,
        details,
        timestamp: 3,
      };
      writePi(home, [piHeader(home), ...PI_TALK, entry("a0000003", "a0000002", result)]);
    },
  ],
  [
    "a session in the folder that the settings name",
    (home) => {
      const sessionDir = join(home.root, "pi-sessions");
      writeText(join(sessionDir, "2026-11-20T10-00-00-000Z_a.jsonl"), toLines([piHeader(home), ...PI_TALK]));
      writeText(join(home.root, ".pi", "agent", "settings.json"), JSON.stringify({ sessionDir }));
    },
  ],
  ["a header alone", (home) => writePi(home, [piHeader(home)])],
  [
    "a backup next to its session",
    (home) => {
      writePi(home, [piHeader(home), ...PI_TALK]);
      writePi(home, [piHeader(home), ...PI_TALK], piFolder(home.project), "copy.jsonl.bak");
    },
  ],
  [
    "a file that is not a session",
    (home) => writeText(piPath(home, piFolder(home.project), "notes.bak"), "words\n"),
  ],
];

test.each(LISTED)(
  "%s is listed, or is not a session, and so does not count as missing",
  async (_title, make) => {
    const home = makeLostHome(mkdtempSync(join(scratch, "listed-")));
    make(home);
    expect(await hiddenIn(home, "pi")).toEqual([]);
  },
);
