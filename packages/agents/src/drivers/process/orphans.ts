/**
 * Ends orphans, which are processes that an agent started and did not end. A process is recognised by its group, and on
 * Linux also by a variable that it inherited, so that a daemon that left the group is found too. The functions are
 * synchronous, because they also run when this process exits.
 */

import { readdirSync, readFileSync } from "node:fs";

/** The name of the variable. Its value is different for every program that is started. */
export const MARK_VARIABLE = "CONTINUO_STARTED";

export function killAll(pid: number, mark: string, signal: NodeJS.Signals): void {
  kill(-pid, signal);
  for (const stray of marked(mark)) kill(stray, signal);
}

/** Returns true if any of them still lives. */
export function isAnyAlive(pid: number, mark: string): boolean {
  return isAlive(-pid) || marked(mark).length > 0;
}

function marked(mark: string): readonly number[] {
  if (process.platform !== "linux") return [];
  const text = `${MARK_VARIABLE}=${mark}`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && variablesOf(pid).includes(text));
}

function variablesOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
  } catch {
    // The process ended in the meantime, or belongs to another user.
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
