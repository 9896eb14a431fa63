/** The place of a database. */

import { existsSync, readlinkSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { createFile, makeFolderDurably } from "@continuo/files";

export interface SqlitePlace {
  /** The given path, made absolute. */
  readonly path: string;
  /** The file itself, if the path is a symbolic link: SQLite derives the names of its other files from it. */
  readonly file: string;
}

/** Creates the file and the folders above it if they do not exist, for this user only. */
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
    // Another process creates the database at this moment.
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

/** The folders of large blobs: the first is for new blobs, the others have blobs of older versions. */
export function blobFolders({ path, file }: SqlitePlace): readonly [string, ...string[]] {
  // Older versions derived the name of the folder from the link.
  return path === file ? [`${file}-blobs`] : [`${file}-blobs`, `${path}-blobs`];
}
