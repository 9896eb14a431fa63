/**
 * Tells if Codex has a thread open now.
 *
 * While a thread is open, Codex has an exclusive `flock` on `thread-writer-locks/THREAD.lock`, and removes the file at
 * the end (seen in 0.169.0 on Linux). `/proc/locks` shows this lock. Trying to take the lock instead could make the
 * agent fail at the wrong moment. A process in another container is not visible.
 */

import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { platform } from "node:process";
import { isContinuoError } from "@continuo/core/model";
import { idInPath } from "@continuo/files";

export type LiveThreadCheck = (threadId: string) => boolean | null;

/**
 * Does the same as `isLive` for many threads. If there is no folder of locks, it does not look for the lock of each
 * thread.
 */
export function liveThreads(codexHome: string): LiveThreadCheck {
  const isAny = platform !== "linux" || existsSync(locksOf(codexHome));
  return (threadId) => (isAny ? isLive(codexHome, threadId) : false);
}

/** `null` if the system does not report it, which is the case on all systems except Linux. */
export function isLive(codexHome: string, threadId: string): boolean | null {
  if (platform !== "linux") return null;
  try {
    const lock = join(locksOf(codexHome), `${idInPath(threadId)}.lock`);
    const stat = statSync(lock, { bigint: true, throwIfNoEntry: false });
    return stat !== undefined && isLocked(stat.ino);
  } catch (error) {
    if (isContinuoError(error, "invalid")) return false;
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? false : null;
  }
}

function locksOf(codexHome: string): string {
  return join(codexHome, "thread-writer-locks");
}

/**
 * Lines like `9: FLOCK  ADVISORY  WRITE 5661 fe:00:2147218 0 EOF`. The device is left out of the comparison:
 * some file systems (btrfs, overlay) show another one here than `stat` does.
 */
function isLocked(inode: bigint): boolean {
  const locks = readFileSync("/proc/locks", "utf8");
  return locks.split("\n").some((line) => line.includes(" FLOCK ") && line.includes(`:${inode} `));
}
