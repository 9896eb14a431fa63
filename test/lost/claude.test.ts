/**
 * Sessions that Claude Code's own list hides are named, restored and hidden again. The real program confirms this in
 * `test/agents/lost/`.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findHiddenSessions } from "@continuo/native";
import { afterAll, expect, test } from "vitest";
import { CLAUDE_RECIPES, folderName, sessionPath, talk } from "./claude-recipes.ts";
import { hiddenIn, proveRecipes } from "./prove.ts";
import { makeLostHome, placesOfHome, toLines, writeText } from "./recipe.ts";

const scratch = mkdtempSync(join(tmpdir(), "continuo-lost-claude-"));
afterAll(() => rmSync(scratch, { recursive: true }));

proveRecipes("claude", CLAUDE_RECIPES);

const ASKED = { role: "user", content: "Name the files" } as const;
const ANSWERED = { role: "assistant", content: "There are two." } as const;
const INTERRUPTED = { role: "user", content: "[Request interrupted by user for tool use]" } as const;

/** Sessions that look like hidden ones, but that the list shows. */
const LISTED: readonly (readonly [string, (home: ReturnType<typeof makeLostHome>) => void])[] = [
  [
    "a picture without text",
    (home) => write(home, talk(home, [{ role: "user", content: [{ type: "image" }] }, ANSWERED])),
  ],
  [
    "only a slash command",
    (home) =>
      write(home, talk(home, [{ role: "user", content: "<command-name>/init</command-name>" }, ANSWERED])),
  ],
  [
    "a command of the shell",
    (home) => write(home, talk(home, [{ role: "user", content: "<bash-input>ls</bash-input>" }, ANSWERED])),
  ],
  ["an interruption, then a prompt", (home) => write(home, talk(home, [INTERRUPTED, ASKED, ANSWERED]))],
  [
    "an interruption in a session with a title",
    (home) =>
      write(home, [...talk(home, [INTERRUPTED, ANSWERED]), { type: "custom-title", customTitle: "Files" }]),
  ],
  [
    "an interruption in a session with a last prompt",
    (home) =>
      write(home, [...talk(home, [INTERRUPTED, ANSWERED]), { type: "last-prompt", lastPrompt: "Name them" }]),
  ],
  [
    "a title beside the session",
    (home) => {
      write(home, talk(home, [INTERRUPTED, ANSWERED]));
      writeText(sessionPath(home).replace(/\.jsonl$/u, "/custom-title.json"), '{"customTitle":"Files"}');
    },
  ],
  ["no message at all", (home) => write(home, [{ type: "mode", mode: "default" }])],
  ["an empty file", (home) => writeText(sessionPath(home), "")],
  [
    "a session that was moved by Claude Code",
    (home) => {
      const moved = { type: "relocated", relocatedCwd: "/srv/elsewhere" };
      writeText(
        sessionPath(home, undefined, folderName("/srv/elsewhere")),
        toLines([...talk(home, [ASKED, ANSWERED]), moved]),
      );
    },
  ],
  [
    "a missing continuation",
    (home) =>
      write(home, [
        ...talk(home, [ASKED, ANSWERED]),
        { type: "continued-in", continuedInSessionId: "5a1d2c3b-7e8f-4a90-8b1c-2d3e4f5a6b7c" },
      ]),
  ],
];

function write(home: ReturnType<typeof makeLostHome>, records: readonly object[]): void {
  writeText(sessionPath(home), toLines(records));
}

test.each(LISTED)("%s is listed, and so does not count as missing", async (_title, make) => {
  const home = makeLostHome(mkdtempSync(join(scratch, "listed-")));
  make(home);
  expect(await hiddenIn(home, "claude")).toEqual([]);
});

test("a project folder that the environment names holds sessions of every project", async () => {
  const home = makeLostHome(mkdtempSync(join(scratch, "forced-")));
  writeText(sessionPath(home, undefined, "all"), toLines(talk(home, [ASKED, ANSWERED])));
  expect((await hiddenIn(home, "claude")).map(({ cause }) => cause)).toEqual(["other_folder"]);
  const places = { ...placesOfHome(home), env: { CLAUDE_CODE_PROJECT_DIR_NAME: "all" } };
  expect(await Array.fromAsync(findHiddenSessions({ places, agents: ["claude"] }))).toEqual([]);
});
