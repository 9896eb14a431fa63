/** Small private files that are on disk when the call returns. */

import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** Replaces the file as a whole or not at all; only the user can read it. */
export function writeDurably(path: string, text: string): void {
  const fresh = `${path}.new`;
  const fd = openSync(fresh, "w", 0o600);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(fresh, path);
  const folder = openSync(dirname(path), "r");
  fsyncSync(folder);
  closeSync(folder);
}
