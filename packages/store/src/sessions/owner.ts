/**
 * The holder of a lease: an id and, on Linux, the machine and the process. On the same machine, another process can see
 * that the holder of a lease is gone, and then need not wait until the lease expires.
 *
 * A process is judged only where its number means the same to both: the same boot of the same machine, the same PID
 * namespace (containers) and the same clock. For any other process the answer is "not known", and the lease lasts until
 * it expires. On other systems, a process cannot be distinguished from a later one with the same number, and the answer
 * is always "not known".
 */

import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { isRunning, processStartOf, processStateOf } from "@continuo/files";
import { newId } from "./ids.ts";

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
export function ownerOf(id: string): string {
  const own = ownProcess();
  return own === null ? id : `${id}@${own.machine}/${process.pid}/${own.start}`;
}

/** A new owner for claims of runs. Other processes see at once when this process has ended. */
export function newOwner(): string {
  return ownerOf(newId());
}

/** The id in an owner, which is shown and logged. */
export function idOf(owner: string): string {
  return owner.replace(NAMED, "");
}

/** Returns true if this process is the owner. */
export function isOwn(owner: string): boolean {
  const own = ownerOf("");
  return own !== "" && owner.endsWith(own);
}

/** Returns true if the owner's process has certainly ended; `false` if that is not known. */
export function isGone(owner: string): boolean {
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
