/** A new file is durable when its folder is synced too, and a new folder when the one above it is. */

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** Creates a folder and those above it. Node's own way never returns where a folder cannot be made: below `/proc`. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: PRIVATE_FOLDER });
  } catch (error) {
    // Another process made it at this moment; it may not have synced it yet.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  syncPath(dirname(path));
}

/** An empty file. Errors: the system's `EEXIST` where there is one already. */
export function createFile(path: string): void {
  closeSync(openSync(path, "wx", PRIVATE_FILE));
  syncPath(dirname(path));
}

/** The content of a file, or the entries of a folder, as they are now. */
export function syncPath(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
