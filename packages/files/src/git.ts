/**
 * The identity of a git repository, which outlives its folder: the address of its remote, and its first commits. Git is
 * started for each query, and takes no lock and runs no hook.
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

/** A repository with a long history may take longer to answer than a person waits. */
const ANSWER_MS = 10_000;
const ANSWER_BYTES = 1_048_576;

/** The folder, or one above it, that holds `.git`; `null` for none. */
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

/** The address of `origin` as it is in the configuration; `null` for none. */
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

/** The same from the files of the repository, without git: for callers with many folders. */
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

/** The commits without a parent, sorted; none in a repository without a commit, `null` if git does not answer. */
export async function gitRootsOf(folder: string): Promise<readonly string[] | null> {
  const answer = await git(folder, ["rev-list", "--max-parents=0", "HEAD"]);
  if (answer !== null) return answer.split("\n").filter(Boolean).sort();
  return (await git(folder, ["rev-parse", "--verify", "--quiet", "HEAD"])) === null ? [] : null;
}

/** True if the repository of the folder has the commit. A name that is not a hash belongs to no commit. */
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
