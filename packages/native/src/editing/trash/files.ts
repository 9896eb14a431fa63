/** Moves files aside and back, byte for byte, with their modes and time stamps. */

import { createHash } from "node:crypto";
import {
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  rmdirSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import {
  appendLines,
  filesBelow,
  keepDurably,
  makeFolderDurably,
  moveDurably,
  placeDurably,
  removeLeft,
  renameDurably,
  syncPath,
  unfinishedPath,
  writeFailure,
} from "@continuo/files";
import type { FilesPlan, IndexLines } from "../../native/kit/index.ts";
import { writeNewFile } from "../../native/writing/index.ts";

export interface KeptFile {
  readonly from: string;
  /** The path below the folder of the trashed session. */
  readonly to: string;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  readonly sha256: string;
}

/**
 * Lists every file of the plan, including those in its folders, with the facts that later show that it is the same
 * file. Links are not followed.
 */
export function listKeptFiles(plan: FilesPlan): KeptFile[] {
  const files = plan.paths.flatMap((path) => filesBelow(path));
  return files.map((from, index) => {
    const { size, mtimeMs } = lstatSync(from);
    return { from, to: `files/${index}`, sizeBytes: size, mtimeMs, sha256: hashFile(from) };
  });
}

/**
 * Moves every file, then removes the folders that became empty. After a failure, the files that were already moved are
 * moved back. Every file is copied to the trash before the first file is removed, so that a full disk is noticed before
 * anything has changed.
 *
 * Errors: `conflict` if a file disappeared or changed in the meantime, `unwritable`.
 */
export function moveAside(kept: readonly KeptFile[], plan: FilesPlan, folder: string): void {
  const gone: KeptFile[] = [];
  try {
    for (const file of kept) {
      keepToo(file, folder);
      assertUnchanged(file);
    }
    for (const file of kept) {
      rmSync(file.from);
      gone.push(file);
    }
    for (const place of new Set(kept.map(({ from }) => dirname(from)))) syncPath(place);
  } catch (cause) {
    for (const file of gone) moveDurably(join(folder, file.to), file.from);
    throw toMoveError(cause);
  }
  removeEmptied(plan);
}

function assertUnchanged({ from, sizeBytes, mtimeMs }: KeptFile): void {
  const now = lstatSync(from);
  if (now.size === sizeBytes && Math.abs(now.mtimeMs - mtimeMs) < CLOCK_ROUNDING_MS) return;
  throw new ContinuoError("conflict", `another program wrote to ${from} in the meantime`, {
    hint: "Close the session in its agent; nothing was deleted.",
  });
}

/**
 * Returns false while a file of the session is only in the trash.
 * @param replacement the hash of the file that replaces the first one
 */
export function areInPlace(kept: readonly KeptFile[], replacement?: string): boolean {
  const [file] = kept;
  if (!kept.every(({ from }) => isThere(from))) return false;
  return file === undefined || replacement === undefined || hashFile(file.from) !== replacement;
}

/** Removes the empty folders of a session that is gone. */
function removeEmptied(plan: FilesPlan): void {
  for (const path of plan.paths) removeEmptyFolders(path);
}

/**
 * Copies the old file to the trash, and then replaces it by the new file in one step.
 * Errors: `conflict` if the file changed in the meantime, `unwritable`.
 * @param fresh the new file, on disk next to the old file
 */
export function replaceFile({ from, to, sha256, ...rest }: KeptFile, fresh: string, folder: string): void {
  try {
    keepToo({ from, to, sha256, ...rest }, folder);
    if (hashFile(from) !== sha256) {
      throw new ContinuoError("conflict", `another program wrote to ${from} in the meantime`, {
        hint: "Close the session in its agent; nothing was changed.",
      });
    }
    renameDurably(fresh, from);
  } catch (cause) {
    throw toMoveError(cause);
  }
}

/** Keeps a file in the trash, because another file replaces it. */
export function keepToo({ from, to }: KeptFile, folder: string): void {
  const target = join(folder, to);
  makeFolderDurably(dirname(target));
  keepDurably(from, target);
}

/**
 * Settles an interrupted deletion. Returns `moved` if it was complete, or if another file is in the place of a moved
 * file. Other moved files are put back.
 */
export function settleMoved(kept: readonly KeptFile[], plan: FilesPlan, folder: string): "moved" | "back" {
  if (!kept.some(isStill)) {
    removeEmptied(plan);
    return "moved";
  }
  let settled: "moved" | "back" = "back";
  for (const file of kept) {
    const aside = join(folder, file.to);
    if (!isThere(aside) || isStill(file)) continue;
    if (isThere(file.from)) settled = "moved";
    else {
      makeFolderDurably(dirname(file.from));
      moveDurably(aside, file.from);
    }
  }
  return settled;
}

/**
 * Removes the remains of a killed process's move, in both places.
 * @param pid the number of the process
 */
export function removeUnfinished(kept: readonly KeptFile[], folder: string, pid: number): void {
  for (const { from, to } of kept) {
    for (const path of [from, join(folder, to)]) removeLeft(unfinishedPath(path, pid));
  }
}

/**
 * Returns true if the old file is in the trash and no longer in its place: the new file replaced it, and may have
 * changed after that.
 */
export function isReplaced([file]: readonly KeptFile[], folder: string): boolean {
  return file !== undefined && isThere(join(folder, file.to)) && !isStill(file);
}

function isStill({ from, sha256 }: KeptFile): boolean {
  return isThere(from) && hashFile(from) === sha256;
}

/** Returns false also for a path whose parent is not a folder (`ENOTDIR`). */
function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(String((error as NodeJS.ErrnoException).code))) return false;
    throw error;
  }
}

/** The part of a time stamp that can be lost on its way to another file system. */
const CLOCK_ROUNDING_MS = 0.01;

function toMoveError(cause: unknown): unknown {
  const { code, path } = cause as NodeJS.ErrnoException;
  if (code === "ENOENT")
    return new ContinuoError("conflict", `another program removed ${path} in the meantime`, { cause });
  if (cause instanceof ContinuoError || code === undefined) return cause;
  return writeFailure("cannot move the session", cause);
}

/**
 * Puts every file back into its place; the copies in the trash stay.
 *
 * Errors: `conflict` if a place has another file or a file was changed in the trash, `corrupt` if a file is missing
 * there, `unwritable`. After an error no file was restored, except for files that replaced another file.
 */
export function moveBack(kept: readonly KeptFile[], plan: ReplacedPlan, folder: string): void {
  const waiting = kept.filter((file) => isToGoBack(file, folder, plan));
  for (const file of plan.force ? [] : waiting) {
    const hash = hashFile(join(folder, file.to));
    if (hash === file.sha256) continue;
    throw new ContinuoError("conflict", `${join(folder, file.to)} was changed in the trash`, {
      hint: "Use `--force` to restore the session with everything that its agent wrote after the deletion.",
      details: { expected: file.sha256, found: hash },
    });
  }
  const fresh: string[] = [];
  try {
    for (const { from, to } of waiting) {
      const isNew = !isThere(from);
      makeFolderDurably(dirname(from));
      placeDurably(join(folder, to), from);
      if (isNew) fresh.push(from);
    }
    for (const lines of plan.indexLines) writeBack(lines);
  } catch (cause) {
    for (const path of fresh) removeLeft(path);
    if (fresh.length > 0) removeEmptied(plan);
    throw toMoveError(cause);
  }
}

interface ReplacedPlan extends FilesPlan {
  /** The hash of the file that replaced the only file. */
  readonly replacement: string | undefined;
  /** The hashes of the files that replaced several files, by the path of the replaced file. */
  readonly placed?: ReadonlyMap<string, string>;
  /** A file that is in the place now is replaced, because the caller has copied it to the trash; see `inTheWay`. */
  readonly force: boolean;
}

/** Returns the files that are in the place of a file in the trash, but are neither this file nor its replacement. */
export function inTheWay(kept: readonly KeptFile[], folder: string, replacement?: string): readonly string[] {
  return kept.flatMap(({ from, to, sha256 }) => {
    if (!isThere(from) || !isThere(join(folder, to))) return [];
    const hash = hashFile(from);
    return hash === sha256 || hash === replacement ? [] : [from];
  });
}

/** False for a file that was never moved: the deletion may have been interrupted before or during its move. */
function isToGoBack(file: KeptFile, folder: string, { replacement, placed, force }: ReplacedPlan): boolean {
  const isInTrash = isThere(join(folder, file.to));
  if (!isThere(file.from)) {
    if (isInTrash) return true;
    throw new ContinuoError("corrupt", `${join(folder, file.to)} is gone from the trash`, {
      hint: `Look in ${join(folder, "files")} for the remaining files.`,
      details: { path: file.from },
    });
  }
  const hash = hashFile(file.from);
  if (!isInTrash || hash === file.sha256) return false;
  if (hash === replacement || hash === placed?.get(file.from) || force) return true;
  throw new ContinuoError("conflict", `cannot restore ${file.from}: a file of this name exists again`, {
    hint: "Use `--force` to restore it, and to move the other file to the trash; nothing was restored.",
    details: { path: file.from },
  });
}

/** Appends the lines that are missing in the index. */
function writeBack({ path, lines }: IndexLines): void {
  const present = isThere(path) ? readFileSync(path, "utf8") : null;
  const known = new Set(present?.split("\n"));
  const missing = lines.filter((line) => !known.has(line));
  if (missing.length === 0) return;
  const bytes = Buffer.from(`${missing.join("\n")}\n`, "utf8");
  if (present === null) writeNewFile(path, bytes);
  else appendLines(path, bytes);
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

/** Returns the hash of the file; for a link, that of its target's path. */
export function hashFile(path: string): string {
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
