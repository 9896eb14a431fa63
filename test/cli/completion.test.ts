/** The completions for shells; `completion.full.test.ts` runs the shells themselves. */

import { beforeEach, expect, test } from "vitest";
import { CLAUDE_ID, CODEX_ID, createHome, type Home, writeSessions } from "./home.ts";
import { runHere } from "./in-process.ts";

const HOSTILE = "4bf3e000-0000-4000-8000-000000000009$(touch owned)";

let home: Home;
beforeEach(() => {
  home = createHome();
  writeSessions(home);
});

test("lines are `value TAB note`, newest first; an id that a shell would not take literally is left out", async () => {
  home.write(`.claude/projects/-home-ann-app/${HOSTILE}.jsonl`, "{}\n");
  const { stdout, code } = await runHere(home, ["complete-words", "--", "session", "show", ""]);
  expect(code).toBe(0);
  expect(stdout.split("\n")).toEqual([
    `${CODEX_ID}\tcodex: Hello Codex`,
    `${CLAUDE_ID}\tclaude: Fix the build`,
    expect.stringMatching(/^4bf3d000-\S+\tclaude: ␛\]0;owned␇ /u),
    "",
  ]);
  const begun = await runHere(home, ["complete-words", "--", "show", "4BF3c"]);
  expect(begun.stdout).toBe(`${CLAUDE_ID}\tclaude: Fix the build\n`);
});

test("deleted sessions are offered for restoration", async () => {
  await runHere(home, ["session", "delete", CLAUDE_ID]);
  const { stdout } = await runHere(home, ["complete-words", "--", "session", "restore", ""]);
  expect(stdout).toBe(`${CLAUDE_ID}\tclaude: Fix the build\n`);
});
