/**
 * Projects of agents that record no repository: a mark from the time when the folder existed finds them after a move.
 */

import { existsSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { findMovedProjects, listCatalog, noteProjects } from "@continuo/agents/catalog";
import { lockSession } from "@continuo/files";
import { beforeEach, expect, test } from "vitest";
import { sessionPath, talk } from "../lost/claude-recipes.ts";
import { GEMINI_TALK, geminiHead, writeGemini } from "../lost/gemini-recipes.ts";
import { PI_TALK, piHeader, writePi } from "../lost/pi-recipes.ts";
import { type LostHome, makeLostHome, placesOfHome, toLines, writeText } from "../lost/recipe.ts";
import { type Git, gitIn } from "../move/tree-shapes.ts";
import { scratchFolder } from "../scratch-folder.ts";

const SAID = [
  { role: "user", content: "Make the timer stop" },
  { role: "assistant", content: "It stops now." },
] as const;

let home: LostHome;
let git: Git;

beforeEach(() => {
  home = makeLostHome(scratchFolder("project-marks"));
  git = gitIn(home.project);
  git("init", "--quiet");
  git("commit", "--quiet", "--allow-empty", "--message=Begin");
  writeText(sessionPath(home), toLines(talk(home, SAID)));
  writeGemini(home, [geminiHead(home), ...GEMINI_TALK]);
  writePi(home, [piHeader(home), ...PI_TALK]);
});

const target = (): string => join(home.root, "renamed");

const movedProjects = () => findMovedProjects({ places: placesOfHome(home), cwd: target() });

async function listedIn(ofProject: string): Promise<readonly string[]> {
  const at = { ...placesOfHome(home), cwd: home.root };
  const { sessions } = await listCatalog({ ofProject }, { places: at, store: null });
  return sessions.map(({ agent }) => agent).toSorted();
}

test("a renamed project of Claude Code, Gemini CLI and pi is found by its noted first commit", async () => {
  await noteProjects(placesOfHome(home));
  expect(statSync(join(home.root, ".continuo/projects.json")).mode & 0o777).toBe(0o600);
  renameSync(home.project, target());
  const other = gitIn(join(home.root, "other"));
  mkdirSync(other.folder);
  other("init", "--quiet");
  other("commit", "--quiet", "--allow-empty", "--message=Another beginning");
  expect(await movedProjects()).toEqual([{ from: home.project, to: [target()], sessions: 3 }]);
  // Marks of a missing folder stay.
  await noteProjects(placesOfHome(home));
  expect(await movedProjects()).toHaveLength(1);
});

test("without a mark nothing is found, and none is made of a folder that is gone", async () => {
  renameSync(home.project, target());
  await noteProjects(placesOfHome(home));
  expect(await movedProjects()).toEqual([]);
});

test("the list of a project has the sessions of its old folder before they are relocated, not those of another remote", async () => {
  git("remote", "add", "origin", "https://example.com/ann/timer.git");
  await noteProjects(placesOfHome(home));
  renameSync(home.project, target());
  expect(await listedIn(target())).toEqual(["claude", "gemini", "pi"]);
  expect(await listedIn(join(target(), "src"))).toEqual([]);
  gitIn(target())("remote", "set-url", "origin", "https://example.com/ann/clock.git");
  expect(await listedIn(target())).toEqual([]);
});

test("the list of a subfolder has the sessions of the same subfolder in another clone, and no others", async () => {
  const remote = "https://example.com/ann/timer.git";
  git("remote", "add", "origin", remote);
  const clone = gitIn(join(home.root, "clone"));
  for (const folder of [home.project, clone.folder]) mkdirSync(join(folder, "src"), { recursive: true });
  clone("init", "--quiet");
  clone("remote", "add", "origin", remote);
  const below = { ...home, project: join(home.project, "src") };
  writeText(sessionPath(below), toLines(talk(below, SAID)));
  expect(await listedIn(clone.folder)).toEqual(["claude", "claude", "gemini", "pi"]);
  expect(await listedIn(join(clone.folder, "src"))).toEqual(["claude"]);
});

test("a project whose remote changed is noted with the new one", async () => {
  const remotes = (): readonly unknown[] => {
    const { folders } = JSON.parse(readFileSync(join(home.root, ".continuo/projects.json"), "utf8"));
    return Object.values(folders as Record<string, { readonly remote: string }>).map(({ remote }) => remote);
  };
  git("remote", "add", "origin", "https://example.com/ann/timer.git");
  await noteProjects(placesOfHome(home));
  git("remote", "set-url", "origin", "https://example.com/team/timer.git");
  const before = remotes();
  await noteProjects(placesOfHome(home));
  expect([before, remotes()]).toEqual([["example.com/ann/timer"], ["example.com/team/timer"]]);
});

test("sessions of a folder whose name only begins like that of the moved one are not counted with it", async () => {
  const old = { ...home, project: `${home.project}-old` };
  writeText(sessionPath(old), toLines(talk(old, SAID)));
  await noteProjects(placesOfHome(home));
  renameSync(home.project, target());
  expect(await movedProjects()).toEqual([{ from: home.project, to: [target()], sessions: 3 }]);
});

test("sessions of a subfolder are counted with the moved project, which is listed once", async () => {
  mkdirSync(join(home.project, "src"), { recursive: true });
  const below = { ...home, project: join(home.project, "src") };
  writeText(sessionPath(below), toLines(talk(below, SAID)));
  await noteProjects(placesOfHome(home));
  renameSync(home.project, target());
  expect(await movedProjects()).toEqual([{ from: home.project, to: [target()], sessions: 4 }]);
});

interface NotedFolder {
  readonly worktree: string;
  readonly remote: string | null;
  readonly root: string | null;
}

const marksPath = (): string => join(home.root, ".continuo/projects.json");
const noted = (): Readonly<Record<string, NotedFolder>> =>
  JSON.parse(readFileSync(marksPath(), "utf8")).folders;

/** Writes a session of Claude Code that worked in another folder. */
function sessionIn(project: string): void {
  const other = { ...home, project };
  writeText(sessionPath(other), toLines(talk(other, SAID)));
}

test("a folder is noted by its real path, with the work tree, remote and first commit of its repository", async () => {
  git("remote", "add", "origin", "https://example.com/ann/timer.git");
  const root = git("rev-list", "--max-parents=0", "HEAD").trim();
  mkdirSync(join(home.project, "src"));
  symlinkSync(join(home.project, "src"), join(home.root, "link"));
  const tree = join(home.root, "tree");
  git("worktree", "add", "--quiet", tree);
  for (const folder of [join(home.root, "link"), tree, "here/and/there"]) sessionIn(folder);
  mkdirSync(join(home.root, "plain"));
  sessionIn(join(home.root, "plain"));
  await noteProjects(placesOfHome(home));
  const mark = { worktree: home.project, remote: "example.com/ann/timer", root };
  expect(noted()).toEqual({
    [home.project]: mark,
    [join(home.project, "src")]: mark,
    [tree]: { ...mark, worktree: tree },
  });
});

test("a repository without a commit gets its first commit later, and other marks stay as they were", async () => {
  const empty = gitIn(join(home.root, "empty"));
  mkdirSync(empty.folder);
  empty("init", "--quiet");
  sessionIn(empty.folder);
  const gone = { worktree: "/gone", remote: "example.com/ann/gone", root: "c0" };
  writeText(marksPath(), JSON.stringify({ version: 1, folders: { "/gone/src": gone, "/odd": { root: 1 } } }));
  await noteProjects(placesOfHome(home));
  const rootOf = (): unknown => noted()[empty.folder]?.root;
  expect([rootOf(), noted()["/gone/src"], noted()["/odd"]]).toEqual([null, gone, undefined]);
  empty("commit", "--quiet", "--allow-empty", "--message=Begin");
  await noteProjects(placesOfHome(home));
  expect(rootOf()).toMatch(/^[0-9a-f]{40}/u);
  const { ino } = statSync(marksPath());
  await noteProjects(placesOfHome(home));
  expect(statSync(marksPath()).ino).toBe(ino);
});

test("a process does not write marks while another process writes them", async () => {
  const lock = await lockSession("/projects", "projects", {
    places: placesOfHome(home),
    waitMs: 0,
    signal: undefined,
  });
  try {
    await noteProjects(placesOfHome(home));
    expect(existsSync(marksPath())).toBe(false);
  } finally {
    lock.release();
  }
});

test("of more than 2,000 noted folders, the oldest are removed", async () => {
  const folders = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, n) => [
      `/gone/${n}`,
      { worktree: `/gone/${n}`, remote: null, root: null },
    ]),
  );
  writeText(join(home.root, ".continuo/projects.json"), JSON.stringify({ version: 1, folders }));
  await noteProjects(placesOfHome(home));
  const names = Object.keys(noted());
  expect([names.length, names[0], names.at(-1)]).toEqual([2_000, "/gone/1", home.project]);
});
