/**
 * SQLite databases that belong to another program: opens them without leaving a trace, and quotes names in their SQL.
 */

import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { type FoundFile, statFile } from "./folders.ts";

/**
 * Returns the URL that opens the database for reading only. If `hasLog` is false, the database is opened as
 * `immutable`: with no lock, and no new file next to it. Otherwise the changes in the second file are read too.
 */
export function readOnlyDatabase(path: string): URL {
  const url = pathToFileURL(path);
  url.searchParams.set("mode", "ro");
  if (!hasLog(path)) url.searchParams.set("immutable", "1");
  return url;
}

/**
 * True if changes of the database may be in a second file. If that is a rollback journal, the database is locked as
 * usual.
 */
export function hasLog(path: string): boolean {
  if (existsSync(`${path}-wal`)) return true;
  return existsSync(`${path}-journal`) && !isInWalMode(path);
}

/** The file of a location: `PATH#ID` is a session in the database PATH, any other location is the file itself. */
export function fileOfLocation(location: string): string {
  return location.replace(/#[^/#]*$/u, "");
}

/**
 * The database and its write-ahead log, which has the changes that are not in the database yet. A file that does not
 * exist is left out.
 */
export function databaseFiles(path: string): readonly FoundFile[] {
  return [path, `${path}-wal`].flatMap((one) => statFile(one) ?? []);
}

const WRITE_VERSION_OFFSET = 18;
const WAL_VERSION = 2;

function isInWalMode(path: string): boolean {
  const fd = openSync(path, "r");
  try {
    const version = Buffer.alloc(1);
    return readSync(fd, version, 0, 1, WRITE_VERSION_OFFSET) === 1 && version[0] === WAL_VERSION;
  } finally {
    closeSync(fd);
  }
}

/** The name of a table or column of any database, quoted for SQL. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
