/** SQLite databases that belong to another program: how they are opened without a trace, and names in their SQL. */

import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { pathToFileURL } from "node:url";

/**
 * Opens the database for reading only. Without a log next to it, it is `immutable`: no lock, and no file next to it.
 * With one, the content of the log is read too.
 */
export function readOnlyDatabase(path: string): URL {
  const url = pathToFileURL(path);
  url.searchParams.set("mode", "ro");
  if (!hasLog(path)) url.searchParams.set("immutable", "1");
  return url;
}

/** A database may hold changes in a second file; one that keeps them in a rollback journal is locked as it wants. */
export function hasLog(path: string): boolean {
  if (existsSync(`${path}-wal`)) return true;
  return existsSync(`${path}-journal`) && !isInWalMode(path);
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

/** The name of a table or column of any database, as SQL has it. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
