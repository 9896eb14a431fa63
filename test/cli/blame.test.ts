/** `continuo blame`: a file, a line and a commit of a project that two agents and a person wrote. */

import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EditedHome, editedHome, FIRST_ID, LAST_ID, NOW, PATCHED_ID } from "../search/edited-home.ts";
import { claudeFile, claudeText, run } from "./home.ts";
import { runHere } from "./in-process.ts";

let home: EditedHome;
beforeAll(() => {
  home = editedHome();
});
afterAll(() => home[Symbol.dispose]());

const blame = (...args: readonly string[]) => runHere(home, ["blame", ...args], { cwd: home.project });

const COMMIT_ID = "6de5cccc-0000-4000-8000-000000000004";

function committed(hash: string): Parameters<typeof claudeText>[1] {
  const time = "13:00:00";
  const input = { command: "git commit -qm 'Add a table of teas' && git log -1" };
  const output = `[main ${hash}] Add a table of teas\n 1 file changed`;
  return [
    { uuid: "p1", parent: null, role: "user", content: "Commit it", time },
    {
      uuid: "c1",
      parent: "p1",
      role: "assistant",
      content: [{ type: "tool_use", id: "t1", name: "Bash", input }],
      time,
    },
    {
      uuid: "r1",
      parent: "c1",
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "t1", content: output }],
      time,
    },
  ];
}

test("a file has the turn of each line", async () => {
  const { stdout, stderr, code } = await blame("src/brew.ts");
  expect(stdout).toMatchInlineSnapshot(`
    "no session              1  // Times of teas, in seconds.
    claude 5cd4bbbb turn 1  2  import { check } from './check.ts';
                            3
    claude 4bf3aaaa turn 1  4  export const SECONDS = {
    claude 5cd4bbbb turn 2  5    black: 240,
                            6    white: 300,
    claude 4bf3aaaa turn 1  7    green: 150,
                            8  };

    7 edits in 3 sessions · 1 line of no session
    "
  `);
  expect([stderr, code]).toEqual(["", 0]);
});

test("a line has its turn with the prompt, and the turns that wrote it earlier", async () => {
  const { stdout } = await blame("src/brew.ts:5");
  expect(stdout).toMatchInlineSnapshot(`
    "src/brew.ts:5
      black: 240,

      claude 5cd4bbbb turn 2 · 2025-01-05 12:02 · Check the times at the start
      ❯ White tea takes five minutes, and black four
      continuo session show claude:5cd4bbbb-0000-4000-8000-000000000003
      the same line before: claude 4bf3aaaa turn 2 · 2025-01-05 10:02
      an earlier form: claude 4bf3aaaa turn 1 · 2025-01-05 10:01

    7 edits in 3 sessions
    "
  `);
  expect((await blame("src/brew.ts:1")).stdout).toContain("No session wrote this line");
});

test("JSON has the requested lines and their turns", async () => {
  const printed = JSON.parse((await blame("src/brew.ts:6-7", "--json")).stdout);
  expect(printed).toMatchObject({
    path: home.at("src/brew.ts"),
    lines: [
      { line: 6, text: "  white: 300,", origin: 0, others: [], earlier: [1] },
      { line: 7, text: "  green: 150,", origin: 2, others: [], earlier: [] },
    ],
    origins: [
      { sessionId: LAST_ID, turn: 2 },
      { sessionId: PATCHED_ID, turn: 1 },
      { sessionId: FIRST_ID, turn: 1 },
    ],
  });
});

test("a commit leads to the turns that wrote it, with the lines that no session wrote", async () => {
  home.git("add", ".");
  home.git("commit", "--quiet", "-m", "Add a table of teas");
  home.edit("src/brew.ts", `${NOW}// afterwards\n`);
  const { stdout } = await blame("--commit", "HEAD");
  expect(stdout.replace(/^[0-9a-f]{10}/u, "HASH")).toMatchInlineSnapshot(`
    "HASH Add a table of teas

      wrote 3 lines in src/brew.ts
      claude 4bf3aaaa turn 1 · 2025-01-05 10:01 · Make a table of teas
      ❯ Make a table of teas
      continuo session show claude:4bf3aaaa-0000-4000-8000-000000000001

      wrote 2 lines in src/brew.ts
      claude 5cd4bbbb turn 1 · 2025-01-05 12:01 · Check the times at the start
      ❯ Check the times at the start
      continuo session show claude:5cd4bbbb-0000-4000-8000-000000000003

      wrote 2 lines in src/brew.ts
      claude 5cd4bbbb turn 2 · 2025-01-05 12:02 · Check the times at the start
      ❯ White tea takes five minutes, and black four
      continuo session show claude:5cd4bbbb-0000-4000-8000-000000000003

    8 lines added · 1 of no session · committed 2025-01-05 13:00
    "
  `);
  const hash = home.git("rev-parse", "HEAD").trim();
  home.write(claudeFile(COMMIT_ID), claudeText(COMMIT_ID, committed(hash.slice(0, 7))));
  const printed = JSON.parse((await blame("--commit", "main", "--json")).stdout);
  expect(printed).toMatchObject({
    hash,
    subject: "Add a table of teas",
    added: 8,
    unknown: 1,
    committers: [{ sessionId: COMMIT_ID, turn: 1, prompt: "Commit it" }],
  });
});

test("the built command asks git in the same way", async () => {
  home.edit("src/brew.ts", `${NOW}// again\n`);
  home.git("commit", "--quiet", "-am", "Say it twice");
  const { stdout, code } = await run(home, ["blame", "--commit", "HEAD"], { cwd: home.project });
  expect(stdout).toContain("1 line added · 1 of no session");
  expect(code).toBe(0);
});

test("the hint for a missing file has the search that finds the sessions that changed it", async () => {
  using other = editedHome();
  rmSync(other.at("src/brew.ts"));
  const { stderr, code } = await runHere(other, ["blame", "src/brew.ts:2"], { cwd: other.project });
  expect(code).toBe(3);
  const [, query = ""] = /search for `(.+?)`/u.exec(stderr) ?? [];
  expect(query).toBe("file:brew.ts");
  const { stdout } = await runHere(other, ["search", query, "--json"], { cwd: other.project });
  for (const id of [FIRST_ID, LAST_ID, PATCHED_ID]) expect(stdout).toContain(id);
});

test.each([
  ["no file and no commit", [], 2, "blame needs a file or a commit"],
  ["a file that is missing", ["src/none.ts"], 3, "cannot read the file"],
  ["a missing line", ["src/brew.ts:99"], 2, "the file has no line 99"],
  ["a missing commit", ["--commit", "nosuch"], 3, "the repository has no commit"],
  ["a revision that looks like a flag", ["--commit=--all"], 3, "the repository has no commit"],
])("%s is refused with a hint", async (_what, args, exit, words) => {
  const { stdout, stderr, code } = await blame(...args);
  expect([stdout, code]).toEqual(["", exit]);
  expect(stderr).toContain(words);
});
