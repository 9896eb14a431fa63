/**
 * A state as files of a folder: `state.json`, `contents` with the bytes of all changed files in the order of the state,
 * `commits.bundle` with commits that the other side lacks, `staged.pack` with staged contents, and the same for each
 * submodule in `submodules/NUMBER`.
 */

import { createHash } from "node:crypto";
import { closeSync, openSync, readlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { createFile, makeScratchFolder } from "@continuo/files";
import type { Repository } from "./git.ts";
import { MAX_STATE_BYTES } from "./limits.ts";
import { chunksOf, type ReadWorkTree } from "./read.ts";
import type { TreeFile, WorkTreeState } from "./state.ts";

export const STATE = "state.json";
export const CONTENTS = "contents";
export const COMMITS = "commits.bundle";
export const STAGED = "staged.pack";

export interface PackOptions {
  /** Commits that the other side has; those of the remotes by default. */
  readonly known?: readonly string[] | undefined;
}

export interface PackedWorkTree {
  readonly state: WorkTreeState;
  /** The number of commits that are sent. */
  readonly commits: number;
  readonly ignored: readonly string[];
  readonly leftOut: readonly string[];
}

/** Errors: `conflict` for a file that changed since it was read; `too_large`, `unsupported`. @param folder a new one */
export async function packWorkTree(
  read: ReadWorkTree,
  folder: string,
  options: PackOptions = {},
): Promise<PackedWorkTree> {
  makeScratchFolder(folder);
  const { state, ignored, leftOut } = read;
  const commits = await packCommits(read, join(folder, COMMITS), options.known);
  await packStaged(read, join(folder, STAGED));
  packContents(read.repository.worktree, state.files, join(folder, CONTENTS));
  for (const [at, inner] of read.submodules.entries()) {
    await packWorkTree(inner, submoduleFolder(folder, at));
  }
  const text = JSON.stringify(state);
  if (Buffer.byteLength(text) > MAX_STATE_BYTES) {
    throw new ContinuoError("too_large", "the work tree has too many changes", {
      details: { maxBytes: MAX_STATE_BYTES },
    });
  }
  writeNew(join(folder, STATE), [Buffer.from(text)]);
  return { state, commits, ignored, leftOut };
}

export function submoduleFolder(folder: string, at: number): string {
  return join(folder, "submodules", String(at));
}

/** Returns the number of commits. If there are none, it writes no bundle, because git refuses an empty one. */
async function packCommits(
  { repository, state }: ReadWorkTree,
  output: string,
  known: readonly string[] | undefined,
): Promise<number> {
  const heads = [...(state.head === null ? [] : ["HEAD"]), ...Object.keys(state.operation).filter(isHead)];
  if (heads.length === 0) return 0;
  const without = known === undefined ? ["--not", "--remotes"] : [];
  const input = `${(known ?? []).map((commit) => `^${commit}`).join("\n")}\n`;
  const args = ["--stdin", ...heads, ...without];
  const count = Number(await repository.run(["rev-list", "--count", ...args], { input }));
  if (count === 0) return 0;
  await refuseShallow(repository, count);
  await repository.run(["bundle", "create", "--quiet", "-", ...args], { input, output });
  return count;
}

/** In a shallow history, the first commits name parents that do not exist here. Errors: `unsupported`. */
async function refuseShallow(repository: Repository, count: number): Promise<void> {
  if ((await repository.ask(["rev-parse", "--is-shallow-repository"])) !== "true") return;
  if (count < Number(await repository.run(["rev-list", "--count", "HEAD"]))) return;
  throw new ContinuoError(
    "unsupported",
    "cannot pack the commits: the repository has only a part of its history",
    {
      hint: "Run `git fetch --unshallow` first.",
    },
  );
}

function isHead(name: string): boolean {
  return name.endsWith("_HEAD");
}

async function packStaged({ repository, state }: ReadWorkTree, output: string): Promise<void> {
  const objects = state.index
    .flatMap(({ entries }) => entries)
    .filter(({ mode }) => mode !== "160000")
    .map(({ object }) => object);
  if (objects.length === 0) return;
  const input = `${[...new Set(objects)].join("\n")}\n`;
  await repository.run(["pack-objects", "--stdout", "--quiet"], { input, output });
}

function packContents(worktree: string, files: readonly TreeFile[], path: string): void {
  writeNew(path, contentsOf(worktree, files));
}

function* contentsOf(worktree: string, files: readonly TreeFile[]): Generator<Buffer, void, void> {
  for (const { path, kind, sha256 } of files) {
    if (kind === "gone") continue;
    const hash = createHash("sha256");
    const full = join(worktree, path);
    for (const chunk of kind === "link" ? [linkAt(full)] : chunksOf(full)) {
      hash.update(chunk);
      yield chunk;
    }
    if (hash.digest("hex") !== sha256) throw changed(path);
  }
}

function linkAt(path: string): Buffer {
  try {
    return readlinkSync(path, "buffer");
  } catch {
    throw changed(path);
  }
}

function changed(path: string): ContinuoError {
  return new ContinuoError("conflict", `${path} changed while the work tree was packed`, {
    hint: "Try again; a program may be writing to it.",
  });
}

function writeNew(path: string, chunks: Iterable<Buffer>): void {
  createFile(path);
  const fd = openSync(path, "a");
  try {
    for (const chunk of chunks) for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at);
  } finally {
    closeSync(fd);
  }
}
