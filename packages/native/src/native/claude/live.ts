/**
 * The sessions that are open now: those of each `sessions/PID.json` whose process runs and wrote the file itself. A
 * process id may be used again; `procStart` distinguishes such processes on platforms that report it.
 *
 * Seen in 2.1.330: on Linux `procStart` is the start time of `/proc/PID/stat`, and `pidDomain` ends in the process
 * namespace. A process in another namespace cannot be seen from here.
 */

import { existsSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { isRunning, type Json, namesIn, processStartOf, readJsonFile, textOfValue } from "@continuo/files";

/** Reports by id if a session is open; `null` if that is not known here. */
export interface LiveSessions {
  of(sessionId: string): boolean | null;
}

/** A missing folder means that this Claude Code writes no such files, or never ran. */
export function readLiveSessions(running: string): LiveSessions {
  if (!existsSync(running)) return { of: () => null };
  const live = new Map<string, boolean | null>();
  for (const name of namesIn(running)) {
    if (!/^\d+\.json$/u.test(name)) continue;
    const mark = readJsonFile(join(running, name));
    if (mark === null || typeof mark.sessionId !== "string") continue;
    const state = stateOf(Number.parseInt(name, 10), mark);
    if (state !== false || !live.has(mark.sessionId)) live.set(mark.sessionId, state);
  }
  return { of: (sessionId) => (live.has(sessionId) ? (live.get(sessionId) ?? null) : false) };
}

/**
 * The session that a process has open; `null` if the process has no file here, or an earlier process with its id wrote
 * it.
 */
export function sessionOfProcess(running: string, pid: number): string | null {
  const mark = readJsonFile(join(running, `${pid}.json`));
  if (mark === null || typeof mark.sessionId !== "string") return null;
  return stateOf(pid, mark) === true ? mark.sessionId : null;
}

export function processesWith(running: string, sessionId: string): readonly number[] {
  const pids = namesIn(running).flatMap((name) => /^(\d+)\.json$/u.exec(name)?.[1] ?? []);
  return pids.map(Number).filter((pid) => sessionOfProcess(running, pid) === sessionId);
}

function stateOf(pid: number, mark: Json): boolean | null {
  const namespace = /pid:\[\d+\]$/u.exec(textOfValue(mark.pidDomain))?.[0];
  const own = ownNamespace();
  if (namespace !== undefined && own !== null && namespace !== own) return null;
  if (!isRunning(pid)) return false;
  const started = processStartOf(pid);
  const isTold = typeof mark.procStart === "string" || typeof mark.procStart === "number";
  return started === null || !isTold || textOfValue(mark.procStart) === started;
}

function ownNamespace(): string | null {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return null;
  }
}
