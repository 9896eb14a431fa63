/**
 * Folders and names that outlive a loss of power. A new file is durable when its folder is synced too, and a new folder
 * when the one above it is. No other file of the source makes folders or replaces files.
 */

import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** Creates a folder and those above it that are missing; each folder that gained one is synced. Errors: the system's. */
export function makeFolderDurably(path: string): void {
  makeFolders(path, syncPath);
}

/** A folder for files that nobody misses after a loss of power. Errors: the system's. */
export function makeScratchFolder(path: string): void {
  makeFolders(path, () => undefined);
}

/** Node's own way never returns where a folder cannot be made: below `/proc`. */
function makeFolders(path: string, sync: (folder: string) => void): void {
  if (isFolder(path)) return;
  const above = dirname(path);
  makeFolders(above, sync);
  try {
    mkdirSync(path, { mode: PRIVATE_FOLDER });
  } catch (error) {
    // Another process made it at this moment; it may not have synced it yet.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !isFolder(path)) throw error;
  }
  sync(above);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Creates an empty file. Errors: the system's, `EEXIST` where there is one already. */
export function createFile(path: string): void {
  closeSync(openSync(path, "wx", PRIVATE_FILE));
  syncPath(dirname(path));
}

/** Renames a file that is on disk, in place of what is there, or a folder; both lie in the same folder. Errors: the system's. */
export function renameDurably(from: string, to: string): void {
  renameSync(from, to);
  syncPath(dirname(to));
}

/** Renames a file that is on disk, in its folder; false where the name is taken. Errors: the system's. */
export function nameDurably(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    rmSync(from);
  } catch {
    if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) return false;
    // File systems without hard links.
    renameSync(from, to);
  }
  syncPath(dirname(to));
  return true;
}

/** Makes the content of a file durable as it is now, or the names in a folder. Errors: the system's. */
export function syncPath(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
