/** Small private files that are on disk when the call returns, also where several processes write one at once. */

import { closeSync, fsyncSync, openSync, readdirSync, rmSync, statSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { threadId } from "node:worker_threads";
import { makeFolderDurably, renameDurably } from "./durable.ts";
import { isRunning } from "./process-start.ts";

/** A draft is there for milliseconds; one of this age belongs to nobody, whatever process has its number now. */
const MAX_DRAFT_AGE_MS = 60_000;

/**
 * Replaces the file as a whole or not at all; only the user can read it. Folders that are missing are made. What a
 * killed process left of a write of the same file is removed. Errors: the system's.
 */
export function writeDurably(path: string, text: string): void {
  const folder = dirname(path);
  makeFolderDurably(folder);
  removeLeftDrafts(folder, basename(path));
  const draft = `${path}${DRAFT}${process.pid}-${threadId}`;
  const bytes = Buffer.from(text, "utf8");
  try {
    const fd = openSync(draft, "w", 0o600);
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameDurably(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

const DRAFT = ".new-";

function removeLeftDrafts(folder: string, name: string): void {
  for (const each of readdirSync(folder)) {
    if (!each.startsWith(`${name}${DRAFT}`)) continue;
    const [, pid] = /^(\d+)-\d+$/u.exec(each.slice(name.length + DRAFT.length)) ?? [];
    const draft = join(folder, each);
    if (pid !== undefined && (!isRunning(Number(pid)) || isOld(draft))) rmSync(draft, { force: true });
  }
}

function isOld(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > MAX_DRAFT_AGE_MS;
}
