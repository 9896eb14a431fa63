/**
 * `continuo doctor sessions`: the sessions that are missing from an agent's list, the plan, the change, and its undo.
 */

import { beforeEach, expect, test } from "vitest";
import { CLAUDE_RECIPES } from "../lost/claude-recipes.ts";
import { CODEX_RECIPES } from "../lost/codex-recipes.ts";
import { type LostHome, makeLostHome, snapshotOf } from "../lost/recipe.ts";
import { createHome, type Home } from "./home.ts";
import { runHere } from "./in-process.ts";

let home: Home;
let lost: LostHome;

beforeEach(() => {
  home = createHome();
  lost = makeLostHome(home.path);
});

const ID = "0b7c1f7e-3d51-4c0e-9a52-6f1f3f0a9c11";

function make(cause: string): void {
  const recipe = CLAUDE_RECIPES.find((one) => one.cause === cause);
  if (recipe === undefined) throw new Error(`no recipe for ${cause}`);
  recipe.write(lost);
}

/** Without a search path no agent can be asked. */
async function sessions(...args: readonly string[]) {
  return await runHere(home, ["doctor", "sessions", ...args], { env: { PATH: "" } });
}

test("the doctor counts the hidden sessions of each agent, and names the command that explains them", async () => {
  make("other_folder");
  const { stdout } = await runHere(home, ["doctor", "--json"], { env: { PATH: "" } });
  const findings: readonly { name: string }[] = JSON.parse(stdout);
  expect(findings.find(({ name }) => name === "lists")).toEqual({
    name: "lists",
    state: "warning",
    message: "1 session is hidden from the agent's own list: 1 of Claude Code",
    hint: "Run `continuo doctor sessions` to see why, and what brings them back.",
  });
});

test("if every session is listed, nothing is reported, and the exit code is 0", async () => {
  const { code, stdout } = await sessions();
  expect([code, stdout]).toEqual([0, "Every session is in its agent's own list.\n"]);
});

test("a hidden session is shown with its cause, what restores it and what that changes, and nothing is written", async () => {
  make("long_first_prompt");
  const before = snapshotOf(lost);
  const { code, stdout } = await sessions();
  expect(code).toBe(4);
  expect(stdout).toContain("Claude Code: 1 session is missing from its own list  (long_first_prompt)");
  for (const label of ["why ", "back ", "then "]) expect(stdout).toContain(`  ${label}`);
  expect(stdout).toContain("Sum up: lorem ipsum");
  expect(stdout).toContain("nothing was written");
  expect(snapshotOf(lost)).toEqual(before);
});

test("--fix without a terminal shows the plan and changes nothing without --yes", async () => {
  make("no_prompt");
  const before = snapshotOf(lost);
  const refused = await sessions("--fix");
  expect(refused.code).toBe(2);
  expect(refused.stdout).toContain(
    'add a last line with the title "The counter is reset inside of the loop."',
  );
  expect(refused.stderr).toContain("--yes");
  const planned = await sessions("--fix", "--dry-run");
  expect([planned.code, planned.stderr]).toEqual([4, ""]);
  expect(planned.stdout).toContain("Nothing was written.");
  expect(snapshotOf(lost)).toEqual(before);
});

test("--fix ID --yes restores a session, and the command that it prints undoes this byte for byte", async () => {
  make("other_folder");
  const before = snapshotOf(lost);
  const { code, stdout } = await sessions("--fix", ID.slice(0, 8), "--yes");
  expect(code).toBe(0);
  const [, undo = ""] = /undo: continuo (session restore \S+)/u.exec(stdout) ?? [];
  expect((await sessions()).code).toBe(0);
  expect((await runHere(home, undo.split(" "))).code).toBe(0);
  expect(snapshotOf(lost)).toEqual(before);
  expect((await sessions()).code).toBe(4);
});

test("a session that the list omits on purpose is counted, and shown by --all", async () => {
  make("continued_elsewhere");
  const few = await sessions();
  expect([few.code, few.stdout]).toEqual([0, expect.stringContaining("1 session is left out on purpose")]);
  expect((await sessions("--all")).stdout).toContain("(continued_elsewhere)");
});

test("a session whose folder is missing is counted, with the command that finds where its project moved to", async () => {
  CODEX_RECIPES.find(({ cause }) => cause === "folder_gone")?.write(lost);
  const few = await sessions();
  expect([few.code, few.stdout]).toEqual([
    0,
    "Every session is in its agent's own list.\n1 session worked in a folder that is gone: `continuo relocate` finds where a project moved to, and --all shows them.\n",
  ]);
  expect((await sessions("--all")).stdout).toContain("(folder_gone)");
});

test("--json has the sentences of the table, and with --fix the steps", async () => {
  make("late_first_prompt");
  const [row] = JSON.parse((await sessions("--json")).stdout);
  expect(row).toMatchObject({
    agent: "claude",
    sessionId: ID,
    cause: "late_first_prompt",
    by: "continuo",
    intended: false,
  });
  expect(row.detail).toMatch(/^The first prompt begins 19\d KiB after the start\.$/u);
  const [fixed] = JSON.parse((await sessions("--fix", "--yes", "--json")).stdout);
  expect(fixed).toMatchObject({
    cause: "late_first_prompt",
    steps: [expect.stringContaining("title")],
    error: null,
  });
  expect(fixed.trashId).toContain(ID);
  expect(fixed.asked).toEqual({ outcome: "unasked", why: "Claude Code is not on the search path" });
});

test("--json of --fix has the whole error of a session that is open in its agent", async () => {
  make("no_prompt");
  home.write(`.claude/sessions/${process.pid}.json`, JSON.stringify({ sessionId: ID }));
  const { code, stdout } = await sessions("--fix", "--yes", "--json");
  expect(code).toBe(4);
  expect(JSON.parse(stdout)).toMatchObject([
    {
      sessionId: ID,
      trashId: null,
      error: {
        code: "session_live",
        message: expect.stringContaining(ID),
        hint: expect.any(String),
        details: expect.any(Object),
        page: "docs/errors.md#session_live",
      },
    },
  ]);
});

test("after --fix a person reads why the agent was not asked, and --no-verify does not ask it", async () => {
  make("no_prompt");
  const asked = await sessions("--fix", "--yes");
  expect(asked.stdout).toContain("the agent was not asked: Claude Code is not on the search path");
  const [, undo = ""] = /undo: continuo (session restore \S+)/u.exec(asked.stdout) ?? [];
  await runHere(home, undo.split(" "));
  const unasked = await sessions("--fix", "--yes", "--no-verify");
  expect([unasked.code, unasked.stdout.includes("asked")]).toEqual([0, false]);
});

test("a session that is not hidden is not found, and an agent without a reader is a usage error", async () => {
  make("no_prompt");
  expect((await sessions("--fix", "ffff", "--yes")).code).toBe(3);
  expect((await sessions("--agent", "nobody")).code).toBe(2);
});

test("a list on a terminal reports the number of hidden sessions, and a list in a pipe does not", async () => {
  make("other_folder");
  CODEX_RECIPES.find(({ cause }) => cause === "late_prompt")?.write(lost);
  const person = await runHere(home, ["list"], { columns: 100, env: { TERM: "xterm" } });
  expect(person.stderr).toContain(
    "2 sessions are hidden from the own lists of Claude Code and Codex: `continuo doctor sessions`",
  );
  const claude = await runHere(home, ["list", "--agent", "claude"], { columns: 100, env: { TERM: "xterm" } });
  expect(claude.stderr).toContain(
    "1 session is hidden from Claude Code's own list: `continuo doctor sessions`",
  );
  expect((await runHere(home, ["list"])).stderr).not.toContain("hidden");
});
