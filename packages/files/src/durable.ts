/**
 * Folders and names that outlive a loss of power. A new file is durable when its folder is synced too, and a new folder
 * when the one above it is. Every folder of the source is made here, and every file renamed, so that none is forgotten.
 */

import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const SHARED_FOLDER = 0o777;

/**
 * Creates a folder and those above it that are missing; each folder that gained one is synced. A folder that exists
 * already is left to the process that made it, which may still be syncing it. Errors: those of the system.
 */
export function makeFolderDurably(path: string): void {
  makeFolders(path, syncPath);
}

/** A folder for files that nobody misses after a loss of power. Errors: those of the system. */
export function makeScratchFolder(path: string): void {
  makeFolders(path, () => undefined);
}

/** A folder of a project: other programs of the person share it, and so it has the permissions that they give. */
export function makeProjectFolder(path: string): void {
  makeFolders(path, () => undefined, SHARED_FOLDER);
}

/** The option `recursive` of Node never returns if a folder cannot be made, as below `/proc`. */
function makeFolders(path: string, sync: (folder: string) => void, mode: number = PRIVATE_FOLDER): void {
  if (isFolder(path)) return;
  const above = dirname(path);
  makeFolders(above, sync, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process made it after the look above, and may not have synced it yet: both sync it.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !isFolder(path)) throw error;
  }
  sync(above);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Creates an empty file. Errors: those of the system, `EEXIST` where there is one already. */
export function createFile(path: string): void {
  closeSync(openSync(path, "wx", PRIVATE_FILE));
  syncPath(dirname(path));
}

/**
 * Renames a folder, or a file whose content is synced. A file of the new name is replaced. Both names are in the same
 * folder, which is synced. Errors: those of the system.
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

/** For file systems without hard links: an empty file takes the name, and is replaced. */
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
 * No power cut brings it back. @param options `recursive`: a folder with all that is in it. Errors: those of the
 * system.
 */
export function removeDurably(path: string, options: { readonly recursive?: true } = {}): void {
  rmSync(path, options);
  syncPath(dirname(path));
}

/**
 * The same for the remains of a failed write. A disk that cannot even do that keeps it: the error of the write counts.
 */
export function removeLeft(path: string): void {
  try {
    removeDurably(path);
  } catch {
    // It was never there, or the next write of the same file removes it.
  }
}
