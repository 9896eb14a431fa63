/**
 * Writes the files of a state into the work tree of a clone. No write follows a link. Call `assertFree` first, so that
 * no file of the clone's own is replaced.
 */

import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { makeProjectFolder } from "@continuo/files";
import { statOf } from "./read.ts";
import { foldersOf, type TreeFile } from "./state.ts";

/** Errors: `conflict` for a path at which a file exists. */
export function assertFree(worktree: string, paths: readonly string[]): void {
  const taken = paths.find((path) => statOf(join(worktree, path))?.isFile());
  if (taken === undefined) return;
  throw new ContinuoError("conflict", `the clone ${worktree} has a file of its own at ${taken}`, {
    hint: "Move the file away first, or name another clone with --into DIR.",
  });
}

/** Errors: `corrupt` if the bytes are not those that were packed, or a path leads through a link. */
export function writeFiles(worktree: string, files: readonly TreeFile[], contents: string): void {
  removeFiles(
    worktree,
    files.filter(({ kind }) => kind === "gone").map(({ path }) => path),
  );
  const fd = openSync(contents, "r");
  const links: (readonly [TreeFile, Buffer])[] = [];
  try {
    for (const file of files) {
      if (file.kind === "gone") continue;
      // A link that exists already must not be in the way of the files that come after it.
      if (file.kind === "link") links.push([file, readWhole(fd, file)]);
      else writeFile(worktree, file, fd);
    }
  } finally {
    closeSync(fd);
  }
  for (const [{ path }, target] of links) {
    const full = placeFor(worktree, path);
    symlinkSync(target, full);
  }
}

function writeFile(worktree: string, file: TreeFile, from: number): void {
  const full = placeFor(worktree, file.path);
  const fd = openSync(full, "wx", 0o666);
  const hash = createHash("sha256");
  try {
    for (const chunk of chunksOf(from, file.sizeBytes)) {
      hash.update(chunk);
      for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at);
    }
  } finally {
    closeSync(fd);
  }
  if (hash.digest("hex") !== file.sha256) throw notPacked(file.path);
  if (file.kind === "executable") chmodSync(full, (lstatSync(full).mode & 0o777) | executableBits(full));
}

/** Returns the bits that give each user who may read the file the right to execute it. */
function executableBits(path: string): number {
  return (lstatSync(path).mode & 0o444) >> 2;
}

/** Removes what is at the path, and creates its folder. */
function placeFor(worktree: string, path: string): string {
  for (const folder of foldersOf(path)) {
    const stat = statOf(join(worktree, folder));
    if (stat === null || stat.isDirectory()) continue;
    throw new ContinuoError(
      "corrupt",
      `the work tree has a file below ${folder}, which is no folder in the clone`,
      {
        hint: "Check that it is a clone of the same repository.",
      },
    );
  }
  const full = join(worktree, path);
  makeProjectFolder(dirname(full));
  const stat = statOf(full);
  if (stat?.isDirectory()) rmdirSync(full);
  else rmSync(full, { force: true });
  return full;
}

const CHUNK_BYTES = 1024 * 1024;

function* chunksOf(fd: number, sizeBytes: number): Generator<Buffer, void, void> {
  for (let left = sizeBytes; left > 0; ) {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, left));
    const count = readSync(fd, buffer);
    if (count === 0) throw notPacked("contents");
    left -= count;
    yield buffer.subarray(0, count);
  }
}

function readWhole(fd: number, { path, sizeBytes, sha256 }: TreeFile): Buffer {
  if (sizeBytes > MAX_LINK_BYTES) throw notPacked(path);
  const bytes = Buffer.concat([...chunksOf(fd, sizeBytes)]);
  if (createHash("sha256").update(bytes).digest("hex") !== sha256) throw notPacked(path);
  return bytes;
}

const MAX_LINK_BYTES = 4_096;

/** Removes files, and folders that become empty, as git does. */
export function removeFiles(worktree: string, paths: readonly string[]): void {
  for (const path of paths) {
    if (!isReached(worktree, path)) continue;
    const full = join(worktree, path);
    if (statOf(full)?.isDirectory()) continue;
    rmSync(full, { force: true });
    for (const folder of foldersOf(path).toReversed()) {
      const at = join(worktree, folder);
      if (statOf(at) === null || readdirSync(at).length > 0) break;
      rmdirSync(at);
    }
  }
}

/** True if the path leads only through real folders, not through links. */
function isReached(worktree: string, path: string): boolean {
  return foldersOf(path).every((folder) => statOf(join(worktree, folder))?.isDirectory() ?? true);
}

function notPacked(path: string): ContinuoError {
  return new ContinuoError("corrupt", `the packed work tree is damaged at ${JSON.stringify(path)}`, {
    hint: "Pack it again with `continuo move ID --to FILE`.",
  });
}
