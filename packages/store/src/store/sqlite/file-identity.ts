/** Checks that the names of the files of an open database still belong to the same files. */

import { statSync } from "node:fs";
import { dirname } from "node:path";
import { replacedFile, translated } from "./failures.ts";
import type { SqlitePlace } from "./place.ts";

/**
 * Returns a check. Call the check before each write and after each commit, because SQLite continues to write into files
 * that no longer have a name. The check before a write is needed even right after another write: otherwise a write
 * could be stored in files that have just disappeared, and the rescue could copy it although its caller receives an
 * error. The database must be open and must have been read, so that all of its files exist. Errors of the check:
 * `unavailable`.
 *
 * If the folder did not change since the last check, no name in it has changed: one look at the folder then replaces
 * the looks at three files.
 *
 * @param rescue copies the content of the write-ahead log into the database
 */
export function inPlace(place: SqlitePlace | undefined, rescue: () => void): () => void {
  if (place === undefined) return () => undefined;
  const { path, file } = place;
  const main = identityOf(path);
  const sides = [`${file}-wal`, `${file}-shm`].map((side) => ({ side, opened: identityOf(side) }));
  // If the path is a symbolic link, the link is in a folder of its own and can change there: then all files are
  // checked.
  const folder = path === file ? dirname(file) : null;
  let seen: string | null = null;
  return () => {
    const now = folder === null ? null : folderState(folder);
    if (now !== null && now === seen) return;
    if (identityOf(path) !== main) throw replacedFile(path, path);
    const [missing] = sides.filter(({ side, opened }) => identityOf(side) !== opened);
    if (missing === undefined) {
      seen = now;
      return;
    }
    // If another process has made a new file, the log is not copied: the two processes no longer share the database,
    // and both would write into it.
    if (sides.every(({ side, opened }) => [NO_FILE, opened].includes(identityOf(side)))) rescue();
    throw replacedFile(path, missing.side);
  };
}

/** File systems record times in steps of some milliseconds: two changes within one step look the same. */
const STEP_MS = 100;

/**
 * Returns a text that changes whenever a name in the folder is created, removed or given to another file, and that
 * nobody can set back; `null` if the last such change was just now, or if the folder does not exist.
 */
function folderState(folder: string): string | null {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined || Date.now() - found.ctimeMs < STEP_MS) return null;
  return `${found.dev} ${found.ino} ${found.ctimeMs}`;
}

const NO_FILE = "gone";

function identityOf(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? NO_FILE : `${found.dev} ${found.ino}`;
  } catch (error) {
    throw translated(error, path);
  }
}
