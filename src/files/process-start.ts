/** When a process was started: with its number, that names one process. */

import { readFileSync } from "node:fs";

/** Clock ticks from boot to the start of a process, as Linux tells them; `null` elsewhere. */
export function processStartOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in brackets may hold spaces and brackets; the start is the 20th field behind it.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
