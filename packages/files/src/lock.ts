/**
 * One writer at a time, between processes of Continuo. Agents do not know of this lock.
 *
 * A lock is a small file below Continuo's home that SQLite locks exclusively: the system releases it when the process
 * ends, however it ends, so that no lock is ever stale. The file is never removed.
 */

import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { ContinuoError } from "@continuo/core/model";
import { makeFolderDurably } from "./durable.ts";
import { canonicalFolder } from "./folders.ts";
import { continuoHome } from "./home.ts";
import type { Places } from "./places.ts";
import { isWriteFailure, writeFailure } from "./write-failure.ts";

export interface WriterLock {
  /** Announces that the lock is about to be released, so that a process that needs it waits. */
  leave(): void;
  release(): void;
}

export interface LockOptions {
  readonly places: Places;
  /** The longest wait for another writer. */
  readonly waitMs: number;
  /** The longest wait for a writer that is about to release the lock; `waitMs` by default. */
  readonly leavingMs?: number;
  readonly signal: AbortSignal | undefined;
  /** Called once if another writer still has the lock after a moment, and has not announced that it leaves. */
  readonly onWait?: (() => void) | undefined;
}

const POLL_MS = 5;
const MAX_POLL_MS = 50;
/** A shorter wait is not reported. */
const REPORTED_WAIT_MS = 500;
const SQLITE_BUSY = 5;

/** Errors: `busy` when another writer keeps the lock for too long, `unwritable`. */
export async function lockSession(
  file: string,
  sessionId: string,
  options: LockOptions,
): Promise<WriterLock> {
  const path = lockPath(
    `${join(canonicalFolder(dirname(file)), basename(file))}#${sessionId}`,
    options.places,
  );
  const { DatabaseSync: Sqlite } = await import("node:sqlite");
  const startedAt = performance.now();
  const { waitMs, leavingMs = waitMs } = options;
  let onWait = options.onWait;
  const database = openLockFile(path, Sqlite);
  try {
    for (let pollMs = POLL_MS; !tryLock(database); pollMs = Math.min(pollMs * 2, MAX_POLL_MS)) {
      options.signal?.throwIfAborted();
      const waitedMs = performance.now() - startedAt;
      const longestMs = existsSync(leavingMark(path)) ? leavingMs : waitMs;
      if (waitedMs > REPORTED_WAIT_MS && longestMs === waitMs) {
        onWait?.();
        onWait = undefined;
      }
      if (waitedMs > longestMs) {
        throw new ContinuoError("busy", `another writer of Continuo has session ${sessionId} open`, {
          hint: "Wait until it has written the results of its tool calls, or close it.",
        });
      }
      // Waiting processes try at different moments.
      await sleep(pollMs * (0.5 + Math.random()));
    }
  } catch (error) {
    database.close();
    throw error;
  }
  const mark = leavingMark(path);
  tryToMark(() => rmSync(mark, { force: true }));
  return {
    leave: () => {
      if (database.isOpen) tryToMark(() => closeSync(openSync(mark, "a", 0o600)));
    },
    release: () => {
      if (database.isOpen) database.close();
    },
  };
}

/** The mark only affects how long others wait, so a full or read-only disk must not make the edit fail. */
function tryToMark(change: () => void): void {
  try {
    change();
  } catch {
    // Without the mark, other processes wait a little longer, or a little less.
  }
}

/** The holder of the lock makes this file before it releases the lock; the next holder removes the file. */
function leavingMark(path: string): string {
  return `${path}.leaving`;
}

function lockPath(session: string, places: Places): string {
  const folder = join(continuoHome(places), "locks");
  const name = createHash("sha256").update(session).digest("hex");
  try {
    makeFolderDurably(folder);
    createOnce(join(folder, name));
  } catch (cause) {
    throw writeFailure(`cannot lock in ${folder}`, cause);
  }
  return join(folder, name);
}

/** A file that exists is not opened: closing it would release a lock that this process has on it (POSIX). */
function createOnce(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function openLockFile(path: string, Sqlite: typeof DatabaseSync): DatabaseSync {
  try {
    return new Sqlite(path, { timeout: 0 });
  } catch (cause) {
    throw writeFailure(`cannot lock ${path}`, cause);
  }
}

function tryLock(database: DatabaseSync): boolean {
  try {
    database.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    const { errcode } = error as { readonly errcode?: number };
    if (((errcode ?? 0) & 0xff) === SQLITE_BUSY) return false;
    throw isWriteFailure(error) ? writeFailure("cannot lock the session", error) : error;
  }
}
