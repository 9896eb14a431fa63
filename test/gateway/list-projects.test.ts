/** The filter `cwd` of the gateway's list, in repositories that git itself made. */

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { shippedPrices } from "@continuo/agents/catalog";
import { beforeEach, expect, test } from "vitest";
import { noteProjects } from "../../packages/agents/src/catalog/project-marks.ts";
import { createLists, type FolderScope } from "../../src/gateway/list.ts";
import { CONVERSATION, claudeFile, claudeText, cleanEnv, createHome, type Home } from "../cli/home.ts";

const FOLDERS = [
  "app",
  "app/web",
  "app-tree",
  "app-tree/web",
  "clone/web",
  "other",
  "other/web",
  "application",
];

let home: Home;
const at = (name: string): string => join(home.path, name);

beforeEach(() => {
  home = createHome();
  git("init", "--quiet", "--initial-branch", "main", at("app"));
  git("-C", at("app"), "commit", "--quiet", "--allow-empty", "--message", "Begin");
  git("-C", at("app"), "remote", "add", "origin", "https://example.com/ann/app.git");
  git("-C", at("app"), "worktree", "add", "--quiet", at("app-tree"));
  git("clone", "--quiet", at("app"), at("clone"));
  git("-C", at("clone"), "remote", "set-url", "origin", "git@example.com:ann/app.git");
  git("init", "--quiet", "--initial-branch", "main", at("other"));
  for (const [number, name] of FOLDERS.entries()) {
    mkdirSync(at(name), { recursive: true });
    const id = `4bf3c2a1-0000-4000-8000-${String(number).padStart(12, "0")}`;
    const records = claudeText(id, CONVERSATION);
    home.write(claudeFile(id), records.replaceAll("/home/ann/app", at(name)));
  }
});

function git(...args: readonly string[]): void {
  const env = { ...cleanEnv(home.path), PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: "1" };
  execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=ann@example.com", ...args], { env });
}

/** The folders of the listed sessions, below the home. */
async function foldersOf(cwd: string, scope?: FolderScope): Promise<readonly string[]> {
  const lists = createLists({
    places: { home: home.path, cwd: home.path, env: cleanEnv(home.path) },
    report: (line) => expect.fail(line),
    prices: async () => ({ own: {}, list: shippedPrices() }),
  });
  const { sessions } = await lists.page({ cwd }, scope);
  await lists.end();
  return sessions.map((one) => one.cwd.slice(home.path.length + 1)).sort();
}

test("a folder's list has its project: the folders below it, and the same folder in work trees and clones", async () => {
  const all = ["app", "app-tree", "app-tree/web", "app/web", "clone/web"];
  expect(await foldersOf(at("app"))).toEqual(all);
  expect(await foldersOf(at("app-tree"))).toEqual(all);
  expect(await foldersOf(at("clone/web"))).toEqual(["app-tree/web", "app/web", "clone/web"]);
  expect(await foldersOf(at("other"))).toEqual(["other", "other/web"]);
  expect(await foldersOf(at("application"))).toEqual(["application"]);
  symlinkSync(at("app"), at("link"));
  expect(await foldersOf(at("link"))).toEqual(all);
});

test("a work tree that was removed stays in its project", async () => {
  await noteProjects({ home: home.path, env: cleanEnv(home.path) });
  rmSync(at("app-tree"), { recursive: true });
  expect(await foldersOf(at("app/web"))).toEqual(["app-tree/web", "app/web", "clone/web"]);
});

test("version 2 of the protocol gets the sessions of exactly the folder", async () => {
  expect(await foldersOf(at("app"), "exactly")).toEqual(["app"]);
  expect(await foldersOf(at("app-tree/web"), "exactly")).toEqual(["app-tree/web"]);
});
