/**
 * The project that opencode takes a folder for (rules of 1.18.34); its list shows the sessions of one project.
 *
 * | a folder is of | rule |
 * |---|---|
 * | `global` | no repository of git, or one without a commit and a remote |
 * | the SHA-1 of `git-remote:HOST/PATH` | a repository with a remote `origin` on another machine |
 * | the text of `.git/opencode` | other repositories, as long as it is there |
 * | the first commit | the rest |
 */

import { createHash } from "node:crypto";
import { join, relative } from "node:path";
import {
  gitFolderAbove,
  gitRemoteOf,
  gitRepositoryOf,
  gitRootsOf,
  readSmallFile,
  remoteName,
} from "@continuo/files";

export const GLOBAL = "global";

export interface OpencodeProject {
  readonly id: string;
  /** The folder to which paths of sessions are relative. */
  readonly worktree: string;
  readonly isRepository: boolean;
  /** The project that `.git/opencode` names; its sessions move to `id` at the next start in the folder. */
  readonly previous: string | null;
}

/** `null` if git does not answer. */
export async function projectOf(folder: string): Promise<OpencodeProject | null> {
  if (gitFolderAbove(folder) === null)
    return { id: GLOBAL, worktree: "/", isRepository: false, previous: null };
  const repository = await gitRepositoryOf(folder);
  if (repository === null) return null;
  const { worktree, store } = repository;
  const previous = readSmallFile(join(store, "opencode"))?.trim() || null;
  const remote = remoteName((await gitRemoteOf(folder)) ?? "");
  const named = remote === null ? previous : sha1(`git-remote:${remote}`);
  if (named !== null) return { id: named, worktree, isRepository: true, previous };
  const roots = await gitRootsOf(folder);
  return roots && { id: roots[0] ?? GLOBAL, worktree, isRepository: true, previous };
}

/** The path by which the terminal filters sessions; an empty path filters nothing. */
export function pathIn({ worktree }: OpencodeProject, directory: string): string {
  return relative(worktree, directory);
}

function sha1(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}
