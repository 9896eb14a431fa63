/** Whether a process runs, and when it was started: with its number, that names one process. */

import { readFileSync } from "node:fs";

/** Clock ticks from boot to the start of a process, as Linux tells them; `null` elsewhere. */
export function processStartOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in brackets may hold spaces and brackets; the start is the 20th field after it.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}

/** Whether a process has the number; another user's counts, and one that ended and was not waited for. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
