/**
 * The identity of a git repository, which outlives its folder: the address of its remote, and its first commits. The
 * functions that return a promise start git for each query; git takes no lock and runs no hook.
 */

import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readSmallFile } from "./folders.ts";

export interface GitRepository {
  /** The folder of the work tree. */
  readonly worktree: string;
  /** The folder that all work trees of the repository share. */
  readonly store: string;
}

/** In a repository with a long history, git may need longer than a person waits, so it is stopped after this time. */
const ANSWER_MS = 10_000;
const ANSWER_BYTES = 1_048_576;

/** Returns the nearest folder that contains `.git`: this folder or one above it; `null` if there is none. */
export function gitFolderAbove(folder: string): string | null {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return null;
  }
}

/** `null` if git is missing, or does not accept the folder. */
export async function gitRepositoryOf(folder: string): Promise<GitRepository | null> {
  const answer = await git(folder, ["rev-parse", "--show-toplevel", "--git-common-dir"]);
  const [worktree, store] = answer?.split("\n") ?? [];
  if (worktree === undefined || store === undefined) return null;
  return { worktree, store: resolve(folder, store) };
}

/** Returns the address of `origin` as git reports it (git applies `insteadOf`); `null` if there is none. */
export async function gitRemoteOf(folder: string): Promise<string | null> {
  return (await git(folder, ["remote", "get-url", "origin"])) || null;
}

/** `HOST/PATH`, equal for every way to reach the same repository; `null` for a folder of this machine. */
export function remoteName(address: string): string | null {
  const [, host, path] = URL.canParse(address)
    ? partsOf(new URL(address))
    : (/^(?:[^@/:]+@)?([^/:]+):(.+)$/u.exec(address) ?? []);
  const name = path
    ?.replace(/^\/+/u, "")
    .replace(/\.git\/?$/u, "")
    .replace(/\/+$/u, "");
  return host && name ? `${host.toLowerCase()}/${name}` : null;
}

function partsOf({ protocol, hostname, pathname }: URL): readonly (string | undefined)[] {
  return protocol === "file:" ? [] : ["", hostname, pathname];
}

/** Does the same as `gitRepositoryOf`, but reads files and does not start git: for callers with many folders. */
export function gitPlaceOf(folder: string): GitRepository | null {
  const worktree = gitFolderAbove(folder);
  if (worktree === null) return null;
  const mark = join(worktree, ".git");
  const [, folderOfWorktree] = /^gitdir: (.+)$/mu.exec(readSmallFile(mark) ?? "") ?? [];
  if (folderOfWorktree === undefined) return { worktree, store: mark };
  const own = resolve(worktree, folderOfWorktree);
  const shared = readSmallFile(join(own, "commondir"))?.trim();
  return { worktree, store: shared === undefined ? own : resolve(own, shared) };
}

/** `HOST/PATH` of the remote `origin` that the files of a repository name; `null` for none. */
export function gitRemoteIn(store: string): string | null {
  const config = readSmallFile(join(store, "config")) ?? "";
  const [, origin = ""] = /^\s*\[remote "origin"\]\s*$([^[]*)/mu.exec(config) ?? [];
  const [, url] = /^\s*url\s*=\s*(\S+)\s*$/mu.exec(origin) ?? [];
  return url === undefined ? null : remoteName(url.replaceAll('"', ""));
}

/**
 * Returns the commits without a parent, sorted. The list is empty if git finds no commit at all, also because git is
 * missing; `null` if there is a commit, but git did not list the first ones in time.
 */
export async function gitRootsOf(folder: string): Promise<readonly string[] | null> {
  const answer = await git(folder, ["rev-list", "--max-parents=0", "HEAD"]);
  if (answer !== null) return answer.split("\n").filter(Boolean).sort();
  return (await git(folder, ["rev-parse", "--verify", "--quiet", "HEAD"])) === null ? [] : null;
}

/** Returns true if the repository of the folder has the commit; false for a name that is not a complete hash. */
export async function hasCommit(folder: string, commit: string): Promise<boolean> {
  if (!/^[0-9a-f]{40,64}$/u.test(commit)) return false;
  return (await git(folder, ["cat-file", "-e", `${commit}^{commit}`])) !== null;
}

async function git(cwd: string, args: readonly string[]): Promise<string | null> {
  // Loaded here, so that code that does not use git does not load a module that starts programs.
  const { execFile } = await import("node:child_process");
  const options = { cwd, timeout: ANSWER_MS, maxBuffer: ANSWER_BYTES };
  return await new Promise((done) => {
    execFile("git", ["--no-optional-locks", ...args], options, (error, stdout) => {
      done(error === null ? stdout.trim() : null);
    });
  });
}
