/** The place of a database. */

import { existsSync, readlinkSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { createFile, makeFolderDurably } from "@continuo/files";

export interface SqlitePlace {
  /** The given path, made absolute. */
  readonly path: string;
  /** The file itself, where the path is a symbolic link: SQLite names its other files after it. */
  readonly file: string;
}

/** Makes the file where there is none, and the folders above it: private ones. */
export function preparePlace(path: string): SqlitePlace {
  const file = followed(path);
  makeFolderDurably(dirname(file));
  if (!existsSync(file)) create(file);
  return { path, file };
}

function create(file: string): void {
  try {
    createFile(file);
  } catch (error) {
    // Another process makes the database at this moment.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** The number of links that Linux follows. */
const LINKS = 40;

function followed(path: string): string {
  let file = path;
  for (let links = 0; links < LINKS; links++) {
    const target = targetOf(file);
    if (target === undefined) return file;
    file = resolve(dirname(file), target);
  }
  return file;
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EINVAL" || code === "ENOENT") return undefined;
    throw error;
  }
}

/** The folders of large blobs: the first for new ones, the others for those that older versions stored. */
export function blobFolders({ path, file }: SqlitePlace): readonly [string, ...string[]] {
  // Older versions named the folder after the link.
  return path === file ? [`${file}-blobs`] : [`${file}-blobs`, `${path}-blobs`];
}
