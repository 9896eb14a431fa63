/** Files moved aside and back, byte for byte, with their modes and time stamps. */

import { createHash } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { ContinuoError } from "../../model/index.ts";
import type { FilesPlan, IndexLines } from "../reader/index.ts";

export interface KeptFile {
  readonly from: string;
  /** Below the folder of the trashed session. */
  readonly to: string;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  readonly sha256: string;
}

/** Every file of the plan, folders walked, with what tells later that it is the same. Links are not followed. */
export function listKeptFiles(plan: FilesPlan): KeptFile[] {
  const files = plan.paths.flatMap((path) => filesBelow(path));
  return files.map((from, index) => {
    const { size, mtimeMs } = lstatSync(from);
    return { from, to: `files/${index}`, sizeBytes: size, mtimeMs, sha256: hashFile(from) };
  });
}

/**
 * Moves every file, then removes the folders that are empty by that. What fails on the way is undone.
 *
 * Errors: `conflict` where a file went or changed meanwhile, `unwritable`.
 */
export function moveAside(kept: readonly KeptFile[], plan: FilesPlan, folder: string): void {
  const moved: KeptFile[] = [];
  try {
    for (const file of kept) {
      const target = join(folder, file.to);
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
      moveFile(file.from, target);
      moved.push(file);
      const { size, mtimeMs } = lstatSync(target);
      if (size === file.sizeBytes && Math.abs(mtimeMs - file.mtimeMs) < CLOCK_ROUNDING_MS) continue;
      throw new ContinuoError("conflict", `${file.from} was written to meanwhile`, {
        hint: "Its agent may have it open. Nothing was deleted.",
      });
    }
  } catch (cause) {
    for (const file of moved) moveFile(join(folder, file.to), file.from);
    throw toMoveError(cause);
  }
  for (const path of plan.paths) removeEmptyFolders(path);
}

/** What a time stamp may lose on its way to another file system. */
const CLOCK_ROUNDING_MS = 0.01;

function toMoveError(cause: unknown): unknown {
  const { code, message, path } = cause as NodeJS.ErrnoException;
  if (code === "ENOENT") return new ContinuoError("conflict", `${path} went meanwhile`, { cause });
  if (cause instanceof ContinuoError || code === undefined) return cause;
  return new ContinuoError("unwritable", `cannot move the session: ${message}`, { cause });
}

/**
 * Errors: `conflict` where something else lies in a place by now or was changed in the trash, `corrupt` where
 * it is gone from there, and nothing is moved then; `unwritable`.
 */
export function moveBack(kept: readonly KeptFile[], plan: ReplacedPlan, folder: string): void {
  const waiting = kept.filter((file) => isToGoBack(file, folder, plan.replacement));
  for (const file of waiting) {
    const hash = hashFile(join(folder, file.to));
    if (hash === file.sha256) continue;
    throw new ContinuoError("conflict", `${join(folder, file.to)} was changed in the trash`, {
      details: { expected: file.sha256, found: hash },
    });
  }
  try {
    for (const file of waiting) {
      mkdirSync(dirname(file.from), { recursive: true, mode: 0o700 });
      if (plan.replacement !== undefined) rmSync(file.from, { force: true });
      moveFile(join(folder, file.to), file.from);
    }
    for (const lines of plan.indexLines) writeBack(lines);
  } catch (cause) {
    // What has moved so far stays: the next attempt goes on from there.
    throw toMoveError(cause);
  }
}

interface ReplacedPlan extends FilesPlan {
  /** Hash of what took the place of the file. */
  readonly replacement: string | undefined;
}

/** False for what never left: a deletion may have been cut off before, or while, it was moved. */
function isToGoBack(file: KeptFile, folder: string, replacement: string | undefined): boolean {
  const isInTrash = lstatSync(join(folder, file.to), { throwIfNoEntry: false }) !== undefined;
  if (lstatSync(file.from, { throwIfNoEntry: false }) === undefined) {
    if (isInTrash) return true;
    throw new ContinuoError("corrupt", `${join(folder, file.to)} is gone from the trash`, {
      hint: `What else there is lies in ${join(folder, "files")}.`,
      details: { path: file.from },
    });
  }
  const hash = hashFile(file.from);
  if (!isInTrash || hash === file.sha256) return false;
  if (hash === replacement) return true;
  throw new ContinuoError("conflict", `${file.from} is there again`, {
    hint: "Move it away; nothing was restored.",
    details: { path: file.from },
  });
}

/** Appends the lines that the index no longer has. */
function writeBack({ path, lines }: IndexLines): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  const present = stat === undefined ? "" : readFileSync(path, "utf8");
  const known = new Set(present.split("\n"));
  const missing = lines.filter((line) => !known.has(line));
  if (missing.length === 0) return;
  const gap = present === "" || present.endsWith("\n") ? "" : "\n";
  appendFileSync(path, `${gap}${missing.join("\n")}\n`, { mode: 0o600 });
}

function filesBelow(path: string): string[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  if (!stat.isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesBelow(join(path, name)));
}

/** By rename; onto another file system by a copy that is on disk before the original goes. */
function moveFile(from: string, to: string): void {
  try {
    renameSync(from, to);
    return;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EXDEV") throw cause;
  }
  const stat = lstatSync(from);
  if (stat.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    const fd = openSync(to, "r");
    fsyncSync(fd);
    closeSync(fd);
  }
  lutimesSync(to, stat.atimeMs / 1000, stat.mtimeMs / 1000);
  rmSync(from);
}

function removeEmptyFolders(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return;
  for (const name of readdirSync(path)) removeEmptyFolders(join(path, name));
  if (readdirSync(path).length === 0) rmdirSync(path);
}

export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Of a link: of where it leads. */
function hashFile(path: string): string {
  const hash = createHash("sha256");
  if (lstatSync(path).isSymbolicLink()) return hash.update(readlinkSync(path)).digest("hex");
  const fd = openSync(path, "r");
  const buffer = Buffer.allocUnsafe(1024 * 1024);
  try {
    for (let count = readSync(fd, buffer); count > 0; count = readSync(fd, buffer)) {
      hash.update(buffer.subarray(0, count));
    }
  } finally {
    closeSync(fd);
  }
  return hash.digest("hex");
}
