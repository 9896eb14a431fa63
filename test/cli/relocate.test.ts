/** `continuo relocate`: the plan, the change and its undo, and projects that are found by their repository. */

import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { sessionPath, talk } from "../lost/claude-recipes.ts";
import { header, TALK, writeThread } from "../lost/codex-recipes.ts";
import { makeRepository, writeOpencode } from "../lost/opencode-recipes.ts";
import { contentOf, type LostHome, makeLostHome, toLines, writeText } from "../lost/recipe.ts";
import { createHome, type Home } from "./home.ts";
import { runHere } from "./in-process.ts";

let home: Home;
let lost: LostHome;
let target: string;

beforeEach(() => {
  home = createHome();
  lost = makeLostHome(home.path);
  target = join(home.path, "renamed");
});

function writeClaude(project: LostHome = lost): void {
  const said = [
    { role: "user", content: "Name the files" },
    { role: "assistant", content: "There are two." },
  ] as const;
  writeText(sessionPath(project), toLines(talk(project, said)));
}

async function relocate(...args: readonly string[]) {
  return await runHere(home, ["relocate", ...args]);
}

test("a plan comes first, --yes changes, and the printed command undoes all of it", async () => {
  writeClaude();
  writeThread(lost, [header(lost), ...TALK]);
  renameSync(lost.project, target);
  const before = contentOf(lost);
  const planned = await relocate(lost.project, target, "--dry-run");
  expect([planned.code, planned.stdout]).toEqual([
    0,
    expect.stringContaining("Claude Code: 1 session  1 file moved"),
  ]);
  expect(planned.stdout).toContain("Codex: 1 session  1 file changed");
  expect((await relocate(lost.project, target)).code).toBe(2);
  expect((await relocate(lost.project, target, "--dry-run", "--yes")).stdout).toBe(planned.stdout);
  expect(contentOf(lost)).toEqual(before);
  const { code, stdout } = await relocate(lost.project, target, "--yes");
  expect([code, stdout]).toEqual([0, expect.stringContaining("1 project moved, 2 sessions")]);
  const [, undo = ""] = /undo: continuo (session restore \S+)/u.exec(stdout) ?? [];
  expect((await runHere(home, undo.split(" "))).code).toBe(0);
  expect(contentOf(lost)).toEqual(before);
});

test("a project is found by the first commit of its repository, and its other sessions move with it", async () => {
  const root = makeRepository(lost);
  writeOpencode(lost, { project: root });
  writeClaude();
  renameSync(lost.project, target);
  const { stdout } = await relocate("--yes");
  expect(stdout).toContain("1 project moved, 2 sessions");
  const rows = JSON.parse((await runHere(home, ["list", "--json", "--cwd", target])).stdout);
  expect(rows.map(({ agent }: { agent: string }) => agent).toSorted()).toEqual(["claude", "opencode"]);
});

test("projects without a remote are found by a commit at which Codex worked, also with the sessions of other agents", async () => {
  const names = ["first", "second", "third"];
  for (const [at, name] of names.entries()) {
    const one = { ...lost, project: join(home.path, name) };
    mkdirSync(one.project);
    makeRepository(one, `Begin the ${name}`);
    const commit = execFileSync("git", ["-C", one.project, "rev-parse", "HEAD"], { encoding: "utf8" }).trim();
    const id = `019f3a00-1b2c-7d3e-8f40-51627384950${at}`;
    const records = [header(one, { id, git: { commit_hash: commit, branch: "main" } }), ...TALK];
    writeText(
      join(home.path, `.codex/sessions/2026/11/20/rollout-2026-11-20T10-00-00-${id}.jsonl`),
      toLines(records),
    );
    writeClaude(one);
    mkdirSync(join(home.path, "moved"), { recursive: true });
    renameSync(one.project, join(home.path, "moved", name));
  }
  const { stdout } = await runHere(home, ["relocate", "--yes"], { cwd: join(home.path, "moved", "third") });
  expect(stdout).toContain("1 project moved, 2 sessions");
  for (const name of ["first", "second"])
    renameSync(join(home.path, "moved", name), join(home.path, `renamed-${name}`));
  const both = (await relocate("--yes")).stdout;
  expect(both).toContain("2 projects moved, 4 sessions");
  expect(both.match(/undo: continuo session restore \S+/gu)).toHaveLength(2);
  expect((await relocate("--yes")).stdout).toContain("No project was found that moved.");
});

test("a project that may be one of two clones is left to the person", async () => {
  const url = "git@git.example.org:acme/widgets.git";
  writeThread(lost, [header(lost, { git: { repository_url: url } }), ...TALK]);
  for (const name of ["renamed", "copy"]) {
    const folder = join(home.path, name);
    mkdirSync(folder);
    execFileSync("git", ["init", "--quiet", folder]);
    execFileSync("git", ["-C", folder, "remote", "add", "origin", "https://git.example.org/acme/widgets"]);
  }
  renameSync(lost.project, join(home.path, "gone-away"));
  const { stdout } = await relocate("--yes");
  expect(stdout).toContain(`continuo relocate ${lost.project} ${target}`);
  expect(stdout).toContain("No project was found that moved.");
});

test("--here has the sessions of every clone and work tree of the repository", async () => {
  makeRepository(lost);
  execFileSync("git", ["-C", lost.project, "worktree", "add", "--quiet", target]);
  const other = join(home.path, "other");
  mkdirSync(other);
  writeClaude();
  writeThread({ ...lost, project: target }, [header({ ...lost, project: target }), ...TALK]);
  writeOpencode(lost, { directory: other });
  const here = await runHere(home, ["list", "--json", "--here"], { cwd: lost.project });
  expect(
    JSON.parse(here.stdout)
      .map(({ agent }: { agent: string }) => agent)
      .toSorted(),
  ).toEqual(["claude", "codex"]);
});
