/**
 * The state and the start of a process. The number of a process and its start together identify one process of one
 * machine.
 *
 * A lease names its holder by an id and, on Linux, by its machine and process. Another process of the same machine can
 * see that the holder is gone, and then need not wait until the lease expires.
 *
 * A process is judged only where its number means the same to both: the same boot of the same machine, the same PID
 * namespace (containers) and the same clock. For any other process the answer is "not known", and the lease lasts until
 * it expires. On other systems, a process cannot be distinguished from a later one with the same number, and the answer
 * is always "not known".
 */

import { createHash } from "node:crypto";
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

/** Returns an empty text on other systems, and in a sandbox that hides the value. */
function told(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

interface OwnProcess {
  /** A hash, because it is in the store and must not reveal anything about the machine. */
  readonly machine: string;
  /** The start in ticks since the machine was started; with the number, it identifies one process. */
  readonly start: string;
}

const NAMED = /@([0-9a-f]{32})\/([1-9]\d*)\/(\d+)$/u;

/** Determined once; `null` if this process cannot be identified. */
let found: OwnProcess | null | undefined;

function ownProcess(): OwnProcess | null {
  if (found === undefined) found = readOwnProcess();
  return found;
}

/** The id, with the identity of this process if there is one. */
export function ownerHere(id: string): string {
  const own = ownProcess();
  return own === null ? id : `${id}@${own.machine}/${process.pid}/${own.start}`;
}

/** The id in an owner, which is shown and logged. */
export function idOfOwner(owner: string): string {
  return owner.replace(NAMED, "");
}

/** Returns true if this process is the owner. */
export function isOwnedHere(owner: string): boolean {
  const own = ownerHere("");
  return own !== "" && owner.endsWith(own);
}

/** Returns true if the owner's process has certainly ended; `false` if that is not known. */
export function isOwnerGone(owner: string): boolean {
  const [, machine, number, start] = NAMED.exec(owner) ?? [];
  const own = ownProcess();
  if (own === null || machine !== own.machine) return false;
  const pid = Number(number);
  if (!isRunning(pid)) return true;
  const startedAt = processStartOf(pid);
  // Another user's process may be hidden.
  return startedAt !== null && startedAt !== start;
}

function readOwnProcess(): OwnProcess | null {
  if (process.platform !== "linux") return null;
  try {
    // In a /proc of another namespace the numbers mean other processes.
    if (readlinkSync("/proc/self") !== String(process.pid)) return null;
    const start = processStateOf("self")?.start;
    if (start === undefined) return null;
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8");
    const parts = [boot, hostname(), readlinkSync("/proc/self/ns/pid"), timeNamespace()];
    const hash = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
    return { machine: hash.slice(0, 32), start };
  } catch {
    // The process runs in a sandbox that hides these values.
    return null;
  }
}

/** Start times depend on the clock of the reading process. Linux before 5.6 has only one clock. */
function timeNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/time");
  } catch {
    return "";
  }
}
