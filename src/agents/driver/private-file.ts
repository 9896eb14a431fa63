/** Small files of our own that several processes may write at once: each of them is whole. */

import { randomUUID } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** For this user alone, in place of what was there; leaves nothing else behind. Errors: the system's. */
export function replacePrivateFile(path: string, text: string): void {
  const draft = `${path}.${randomUUID()}`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}
