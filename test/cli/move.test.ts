/** `continuo move` to a file, and `import` of it on a machine with another home and another clone. */

import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { sessionPath, talk } from "../lost/claude-recipes.ts";
import { type LostHome, makeLostHome, toLines, writeText } from "../lost/recipe.ts";
import { type Git, gitIn, makeOrigin } from "../move/tree-shapes.ts";
import { scratchFolder } from "../scratch-folder.ts";
import type { Run } from "./home.ts";
import { runHere } from "./in-process.ts";

const SAID = [
  { role: "user", content: "Make the timer stop" },
  { role: "assistant", content: "It stops now." },
] as const;

let root: string;
let here: LostHome;
let git: Git;

beforeEach(() => {
  root = scratchFolder("cli-move");
  makeOrigin(join(root, "origin"), {});
  here = makeLostHome(join(root, "here"));
  gitIn(root)("clone", "--quiet", "origin", "here/clone");
  here = { ...here, project: join(root, "here/clone") };
  git = gitIn(here.project);
  mkdirSync(join(root, "there"));
  writeText(sessionPath(here), toLines(talk(here, SAID)));
});

function on(machine: "here" | "there", ...args: readonly string[]): Promise<Run> {
  const path = join(root, machine);
  return runHere({ path }, args);
}

function change(): void {
  git("checkout", "--quiet", "-b", "stop");
  git.write("src/stop.ts", "export const stop = 1;\n");
  git("add", "--all");
  git("commit", "--quiet", "--message=Stop");
  git.write("src/stop.ts", "export const stop = 2;\n");
  git("add", "src/stop.ts");
  git.write("notes.md", "- look again\n");
  git.write(".env", "TOKEN=secret\n");
}

const shown = (at: Git): readonly string[] => [
  at("status", "--porcelain=v2"),
  at("diff", "HEAD"),
  at("log", "-1"),
];

test("a session and its work tree are packed into a file, and placed in the clone of another machine", async () => {
  change();
  const before = shown(git);
  const packed = await on("here", "move", "last", "--to", "timer.bundle");
  expect(packed.code).toBe(0);
  expect(packed.stdout).toContain("work tree ~/clone, stop at ");
  expect(packed.stdout).toContain("1 path staged, 1 file changed or new");
  expect(packed.stdout).toContain("1 commit that the other machine may lack");
  expect(packed.stdout).toContain("stays here, ignored by git: .env");
  expect(shown(git)).toEqual(before);
  cpSync(join(root, "here/timer.bundle"), join(root, "there/timer.bundle"));
  gitIn(root)("clone", "--quiet", "origin", "there/work");
  const made = await on("there", "import", "timer.bundle", "--into", "work", "--json");
  expect([made.code, made.stderr]).toEqual([0, ""]);
  const { sessionId, workTree } = JSON.parse(made.stdout);
  expect(workTree).toMatchObject({ branch: "stop", staged: 1, files: 1, outcome: "applied" });
  const there = gitIn(join(root, "there/work"));
  expect(shown(there)).toEqual(before);
  expect(existsSync(join(there.folder, ".env"))).toBe(false);
  const [row] = JSON.parse((await on("there", "list", "--json")).stdout);
  expect(row).toMatchObject({ sessionId, cwd: there.folder });
  const again = await on("there", "import", "timer.bundle", "--into", "work");
  expect(again.stdout).toContain("work tree ~/work, stop at ");
});

test("a new folder becomes a clone if the bundle has the whole history", async () => {
  git("remote", "remove", "origin");
  change();
  expect((await on("here", "move", "last", "--to", "../timer.bundle")).code).toBe(0);
  const { code, stdout } = await on("there", "import", "../timer.bundle", "--into", "new/work");
  expect([code, stdout]).toEqual([0, expect.stringContaining("work tree ~/new/work, stop at ")]);
  expect(shown(gitIn(join(root, "there/new/work")))).toEqual(shown(git));
});

test("a session in a folder below the work tree is placed in the same folder of the clone", async () => {
  const inner = { ...here, project: join(here.project, "src") };
  writeText(sessionPath(inner), toLines(talk(inner, SAID)));
  writeFileSync(sessionPath(here), "");
  expect((await on("here", "move", "last", "--to", "../timer.bundle")).code).toBe(0);
  gitIn(root)("clone", "--quiet", "origin", "there/work");
  expect((await on("there", "import", "../timer.bundle", "--into", "work")).code).toBe(0);
  const rows = JSON.parse((await on("there", "list", "--json")).stdout);
  expect(rows).toMatchObject([{ cwd: join(root, "there/work/src") }]);
});

test("a clone with changes of its own is refused, and no session is placed", async () => {
  change();
  await on("here", "move", "last", "--to", "../timer.bundle");
  gitIn(root)("clone", "--quiet", "origin", "there/work");
  const there = gitIn(join(root, "there/work"));
  there.write("README.md", "# Mine\n");
  const { code, stderr } = await on("there", "import", "../timer.bundle", "--into", "work");
  expect([code, stderr]).toEqual([5, expect.stringContaining("has changes of its own")]);
  expect(stderr).toContain("Commit or stash them there first");
  expect(readFileSync(join(there.folder, "README.md"), "utf8")).toBe("# Mine\n");
  expect(existsSync(join(root, "there/.claude"))).toBe(false);
  const only = await on("there", "import", "../timer.bundle", "--into", "work", "--no-work-tree");
  expect(only.code).toBe(0);
});

test("a session in a folder without a repository moves without a work tree", async () => {
  const plain = { ...here, project: join(root, "here/project") };
  writeText(sessionPath(plain), toLines(talk(plain, SAID)));
  const { code, stdout } = await on("here", "move", sessionPath(plain), "--to", "../timer.bundle");
  expect([code, stdout]).toEqual([0, expect.stringContaining("continuo import FILE --cwd DIR")]);
  expect(stdout).not.toContain("work tree");
  expect((await on("there", "import", "../timer.bundle", "--into", ".")).code).toBe(0);
  const rows = JSON.parse((await on("there", "list", "--json")).stdout);
  expect(rows).toMatchObject([{ cwd: join(root, "there") }]);
});
