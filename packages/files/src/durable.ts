/**
 * Makes folders and names that survive a loss of power. A new file is durable when its folder is synced too, and a new
 * folder when the one above it is. All code makes folders and renames files with these functions, so that no sync is
 * forgotten.
 */

import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isRunning } from "./process-start.ts";
import { writeFailure } from "./write-failure.ts";

const PRIVATE_FILE = 0o600;
const RANDOM_BYTES = 8;
const PRIVATE_FOLDER = 0o700;
const SHARED_FOLDER = 0o777;

/**
 * A part of a file's name that nobody can guess. In a folder that others can write to, a neighbour could otherwise put a
 * file or a link at the name first.
 */
export function randomSuffix(): string {
  return randomBytes(RANDOM_BYTES).toString("hex");
}

/**
 * Creates a folder and those above it that are missing; each folder with a new entry is synced. A folder that already
 * exists is not synced here: the process that made it does that. Errors: those of the system.
 */
export function makeFolderDurably(path: string): void {
  makeFolders(path, syncPath);
}

/** Makes a folder without a sync, for files that need not survive a loss of power. Errors: those of the system. */
export function makeScratchFolder(path: string): void {
  makeFolders(path, () => undefined);
}

/**
 * Makes a folder in a project without a sync. Other programs of the user work there too, so it has the usual
 * permissions.
 */
export function makeProjectFolder(path: string): void {
  makeFolders(path, () => undefined, SHARED_FOLDER);
}

/**
 * Does not use the option `recursive` of Node: it never returns if a folder cannot be made, for example below `/proc`.
 */
function makeFolders(path: string, sync: (folder: string) => void, mode: number = PRIVATE_FOLDER): void {
  if (hasFolder(path)) return;
  const above = dirname(path);
  makeFolders(above, sync, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process made the folder after the check above, and may not have synced it yet, so both sync it.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !hasFolder(path)) throw error;
  }
  sync(above);
}

/** False also for a path that no file can have, or that this user may not look at: the system refuses these. */
export function isFolder(path: string): boolean {
  try {
    return hasFolder(path);
  } catch {
    return false;
  }
}

/** Errors: those of the system if it refuses the path. */
function hasFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Creates an empty file. Errors: those of the system, `EEXIST` if the file exists. */
export function createFile(path: string): void {
  closeSync(openSync(path, "wx", PRIVATE_FILE));
  syncPath(dirname(path));
}

/**
 * Renames a folder, or a file whose content is synced. A file of the new name is replaced. Both names must be in the
 * same folder, which is synced. Errors: those of the system.
 */
export function renameDurably(from: string, to: string): void {
  renameSync(from, to);
  syncPath(dirname(to));
}

/**
 * Renames a file whose content is synced, within its folder, and replaces nothing: false if the name is taken. Errors:
 * those of the system; the file may then have both names.
 */
export function renameToFreeName(from: string, to: string): boolean {
  if (!linkToFreeName(from, to)) return false;
  rmSync(from, { force: true });
  syncPath(dirname(to));
  return true;
}

function linkToFreeName(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
  }
  return moveToFreeName(from, to);
}

/** For file systems without hard links: makes an empty file with the name, and replaces it. */
function moveToFreeName(from: string, to: string): boolean {
  try {
    closeSync(openSync(to, "wx", PRIVATE_FILE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
  try {
    renameSync(from, to);
  } catch (error) {
    rmSync(to, { force: true });
    throw error;
  }
  return true;
}

/** Makes the content of a file durable as it is now, or the names in a folder. Errors: those of the system. */
export function syncPath(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Removes a path so that no loss of power brings it back. Errors: those of the system.
 * @param options `recursive`: also removes a folder with its content
 */
export function removeDurably(path: string, options: { readonly recursive?: true } = {}): void {
  rmSync(path, options);
  syncPath(dirname(path));
}

/**
 * Removes the remains of a failed write. If that fails too, the remains stay, because the caller reports the error of
 * the write.
 */
export function removeLeft(path: string): void {
  try {
    removeDurably(path);
  } catch {
    // The file was never there, or the next write of the same file removes it.
  }
}

const SCRATCH = "continuo-scratch-";
const SCRATCH_OF = /^continuo-scratch-(\d+)-/u;

export interface Scratch extends Disposable {
  readonly path: string;
}

/** A folder that only this process uses. Folders that killed processes left are removed first. Errors: `unwritable`. */
export function openScratch(): Scratch {
  const folder = realpathSync(tmpdir());
  removeLeftScratch();
  const path = makeScratch(join(folder, `${SCRATCH}${process.pid}-`));
  return { path, [Symbol.dispose]: () => removeScratch(path) };
}

function makeScratch(prefix: string): string {
  try {
    return mkdtempSync(prefix);
  } catch (cause) {
    throw writeFailure(`cannot make a folder in ${dirname(prefix)}`, cause);
  }
}

/** The folders of killed processes of this user, which contain whole conversations, or keys. */
export function removeLeftScratch(user: number | undefined = process.getuid?.()): void {
  const folder = tmpdir();
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const pid = SCRATCH_OF.exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    // Another user could exchange a folder of their own for a link while it is removed.
    const owner = lstatSync(join(folder, name), { throwIfNoEntry: false })?.uid;
    if (user === undefined || owner === user) removeScratch(join(folder, name));
  }
}

/** A file that a killed agent writes again is removed too. */
function removeScratch(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  } catch (error) {
    // The folder belongs to another user.
    if (!["EPERM", "EACCES"].includes(String((error as NodeJS.ErrnoException).code))) throw error;
  }
}
