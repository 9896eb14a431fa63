/**
 * The state and the start of a process. The number of a process and its start together identify one process of one
 * machine.
 */

import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** Clock ticks from boot to the start of a process, as Linux reports them; `null` elsewhere. */
export function processStartOf(pid: number): string | null {
  return processStateOf(pid)?.start ?? null;
}

export interface ProcessState {
  /** One letter: `Z` and `X` are processes that ended. */
  readonly state: string;
  /** The same value as that of `processStartOf`. */
  readonly start: string;
}

/** Reads the state that Linux reports; `null` on other systems, and if the process is gone or hidden. */
export function processStateOf(pid: number | "self"): ProcessState | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in brackets may hold spaces and brackets; the state is the first field after it, the start the 20th.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state = "", start = ""] = [fields[0], fields[19]];
    return /^\d+$/u.test(start) ? { state, start } : null;
  } catch {
    return null;
  }
}

/**
 * Returns true if a process with this number lives. That includes a process of another user. On Linux, a process that
 * ended while its parent has not waited for it does not live.
 */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  const state = processStateOf(pid)?.state;
  return state !== "Z" && state !== "X";
}

/** The machine and namespace in which the number of a process has a meaning. */
export interface ProcessPlace {
  readonly host: string;
  /** The value changes with each start of the machine; empty if the system does not report it. */
  readonly boot: string;
  /** The PID namespace: containers have their own; empty if the system does not report it. */
  readonly namespace: string;
}

export function placeOfThisProcess(): ProcessPlace {
  return {
    host: hostname(),
    boot: told(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    namespace: told(() => readlinkSync("/proc/self/ns/pid")),
  };
}

/** Empty on other systems, and in a sandbox that hides the value. */
function told(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
