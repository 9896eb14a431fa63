/** Moves and copies files durably, byte for byte, with their modes and time stamps. */

import {
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  lutimesSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { dirname } from "node:path";
import { removeDurably, removeLeft, renameDurably, syncPath } from "./durable.ts";

/** Returns the path of a new file until it is complete. No agent reads a file with such a name. */
export function unfinishedPath(path: string, pid: number): string {
  return `${path}.new-${pid}`;
}

/**
 * Moves a file to another folder, and replaces a file that has the same path there. If the folder is on another file
 * system, the file is copied. At every moment the file has at least one of its two names on disk, although a disk may
 * write the names of two folders in any order. If the process is killed, both names may remain, and also
 * `unfinishedPath(to)`. Errors: those of the system.
 */
export function moveDurably(from: string, to: string): void {
  placeDurably(from, to);
  removeDurably(from);
}

/**
 * Gives a file a second name, and replaces a file of that name; see `keepDurably`. Errors: those of the system; nothing
 * is changed then.
 */
export function placeDurably(from: string, to: string): void {
  const fresh = unfinishedPath(to, process.pid);
  try {
    rmSync(fresh, { force: true });
    linkOrCopy(from, fresh);
    renameDurably(fresh, to);
  } finally {
    // If `to` is already a name of the same file, the rename does nothing, and `fresh` still exists.
    removeLeft(fresh);
  }
}

/**
 * Gives a file a second name, or makes a copy if the file system has no hard links. Both names are of the same file: a
 * program that has it open changes both. Errors: those of the system.
 */
export function keepDurably(from: string, to: string): void {
  linkOrCopy(from, to);
  syncPath(dirname(to));
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    // The new path is on another file system, or the file system has no hard links.
    copyNew(from, to);
  }
}

/** Copies a file, and replaces a file at the new place. Errors: those of the system. */
export function copyDurably(from: string, to: string): void {
  const fresh = unfinishedPath(to, process.pid);
  rmSync(fresh, { force: true });
  try {
    copyNew(from, fresh);
    renameDurably(fresh, to);
  } finally {
    removeLeft(fresh);
  }
}

function copyNew(from: string, to: string): void {
  const stat = lstatSync(from);
  if (stat.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    syncPath(to);
  }
  lutimesSync(to, stat.atimeMs / 1000, stat.mtimeMs / 1000);
}
