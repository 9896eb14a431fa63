/**
 * Tells if Copilot has a session open now: while it has, `inuse.PID.lock` is in the session's folder and holds the id of
 * its process; a killed process leaves the file (seen in 1.0.102).
 */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRunning, namesIn } from "@continuo/files";
import { EVENTS } from "./places.ts";

/** The process that a session is open in; `null` for none. */
export function processOf(sessionFile: string): number | null {
  for (const name of namesIn(dirname(sessionFile))) {
    const pid = /^inuse\.(\d+)\.lock$/u.exec(name)?.[1];
    if (pid !== undefined && isRunning(Number(pid))) return Number(pid);
  }
  return null;
}

/** The session that a process has open; `null` for none. */
export function sessionOfProcess(sessions: string, pid: number): string | null {
  if (!isRunning(pid)) return null;
  const isOpen = (id: string): boolean =>
    existsSync(join(sessions, id, `inuse.${pid}.lock`)) && existsSync(join(sessions, id, EVENTS));
  return namesIn(sessions).find(isOpen) ?? null;
}
