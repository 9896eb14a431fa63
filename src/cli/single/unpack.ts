/**
 * The folder in which the single executable keeps its files: it is written at the first start of a version, and every
 * later start uses it. Threads, other programs and pages read files; no other code needs to know that they came from
 * one file.
 */

import { chmodSync, lstatSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import {
  canonicalFolder,
  makeFolderDurably,
  makeScratchFolder,
  renameDurably,
  syncPath,
  writeDraft,
} from "@continuo/files";
import { type PackedFile, unpackFiles } from "./archive.ts";

export interface UnpackOptions {
  /** Continuo's home. */
  readonly home: string;
  /** The version and the beginning of the archive's hash: another build has another folder. */
  readonly id: string;
  /** Called only if the folder does not exist. */
  readonly archive: () => Uint8Array;
  /** Called with a function that removes the folder, and that must run at the end of this process. */
  readonly onExit: (cleanUp: () => void) => void;
}

/** The folders of this many other builds are kept, because programs of an older build may run for weeks. */
export const KEPT_BUILDS = 2;

/**
 * Returns the folder with all files. If Continuo's home cannot be written, each start writes a separate folder. Errors:
 * `corrupt`, and those of the system if no folder can be written at all.
 */
export function unpackedFolder({ home, id, archive, onExit }: UnpackOptions): string {
  const builds = join(home, "app");
  const folder = join(builds, id);
  if (isOwn(folder)) return folder;
  const files = unpackFiles(archive());
  try {
    makeFolderDurably(builds);
    place(files, folder);
    removeOldest(builds, id);
    return folder;
  } catch {
    // Another process was faster, or nothing can be written in this home.
    return isOwn(folder) ? folder : scratchFolder(files, onExit);
  }
}

/**
 * Returns true for a file of this build, or of an older build that may still run: the executable runs no other program.
 * An agent that may call `continuo` must not use it to run files that the agent wrote in another place.
 *
 * @param scratch the folder of the process that starts this one, if Continuo's home cannot be written
 */
export function isProgramOfOurs(
  path: string,
  { home, scratch }: { readonly home: string; readonly scratch: string | undefined },
): boolean {
  if (resolve(path) !== path || !/\/dist\/cli\/[\w-]+\.js$/u.test(path)) return false;
  // A module knows its own path without symbolic links.
  const folder = canonicalFolder(join(path, "../../.."));
  const isKnown = dirname(folder) === canonicalFolder(join(home, "app")) || folder === scratch;
  return isKnown && isOwn(folder);
}

/** True for a folder that no other user can have filled. */
function isOwn(folder: string): boolean {
  try {
    const stat = lstatSync(folder);
    return stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & 0o022) === 0;
  } catch {
    return false;
  }
}

/** Writes the folder completely or not at all: it gets its name after everything in it is on disk. */
function place(files: readonly PackedFile[], folder: string): void {
  const fresh = `${folder}.new-${process.pid}`;
  rmSync(fresh, { recursive: true, force: true });
  try {
    for (const file of files) write(file, fresh);
    for (const each of new Set(files.map(({ path }) => dirname(join(fresh, path))))) syncPath(each);
    renameDurably(fresh, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function scratchFolder(files: readonly PackedFile[], onExit: UnpackOptions["onExit"]): string {
  const folder = canonicalFolder(mkdtempSync(join(tmpdir(), "continuo-")));
  onExit(() => rmSync(folder, { recursive: true, force: true }));
  for (const file of files) write(file, folder);
  return folder;
}

function write({ path, isProgram, bytes }: PackedFile, folder: string): void {
  const file = join(folder, path);
  makeScratchFolder(dirname(file));
  writeDraft(file, bytes);
  if (isProgram) chmodSync(file, 0o700);
}

/**
 * Keeps the newest `KEPT_BUILDS` other folders, and removes the rest: folders of older builds, and incomplete folders
 * of starts that were killed.
 */
function removeOldest(builds: string, id: string): void {
  const others = readdirSync(builds)
    .filter((name) => name !== id)
    .map((name) => ({ path: join(builds, name), at: statSync(join(builds, name)).mtimeMs }))
    .sort((a, b) => b.at - a.at);
  for (const { path } of others.slice(KEPT_BUILDS)) rmSync(path, { recursive: true, force: true });
}
