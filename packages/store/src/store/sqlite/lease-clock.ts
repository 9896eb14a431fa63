/**
 * The clock of leases on SQLite: the time since this machine was started, which does not depend on the time of day.
 *
 * All processes that have a database open run on one machine. The first one after a start of the machine stores the
 * difference between the time of day and the time since the start; the others read that value, so that all have the
 * same clock. A holder from before the start has certainly ended, and its leases end too. If the system does not
 * identify its start, leases use the time of day.
 */

import { readFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { isBusy } from "./failures.ts";

export interface LeaseClock {
  /** The time in whole milliseconds. It begins with the time of day at the first use after the machine was started. */
  readonly now: () => number;
  /** Converts a time of this clock to a time of day, in milliseconds since 1970. */
  readonly wallTime: (leaseMs: number) => number;
}

export interface LeaseClockOptions {
  /** Milliseconds since 1970. */
  readonly wall: () => number;
  /** Milliseconds since this machine was started; the same for all its processes. */
  readonly sinceStart?: () => number;
  /** Identifies this start of the machine; `null` if the system does not report it. */
  readonly boot?: string | null;
}

/** Errors: those of SQLite if another process writes at this moment. */
export function openLeaseClock(database: DatabaseSync, options: LeaseClockOptions): LeaseClock {
  const { wall, sinceStart = msSinceStart, boot = readBoot() } = options;
  if (boot === null) return wallClock(wall);
  const offset = offsetOf(database, boot, { wall, sinceStart });
  const now = (): number => Math.floor(offset + sinceStart());
  return { now, wallTime: wallTimeOf(wall, now) };
}

/** The clock of leases that use the time of day. */
export function wallClock(wall: () => number): LeaseClock {
  return { now: () => Math.trunc(wall()), wallTime: (leaseMs) => leaseMs };
}

/** The difference of two clocks varies a little between reads, but a lease must always show the same time. */
const JITTER_MS = 50;

export function wallTimeOf(wall: () => number, now: () => number): LeaseClock["wallTime"] {
  let knownMs = 0;
  return (leaseMs) => {
    const leadMs = wall() - now();
    if (Math.abs(leadMs - knownMs) > JITTER_MS) knownMs = Math.round(leadMs);
    return leaseMs + knownMs;
  };
}

const NAME = "lease clock/";

interface Clocks {
  readonly wall: () => number;
  readonly sinceStart: () => number;
}

function offsetOf(database: DatabaseSync, boot: string, { wall, sinceStart }: Clocks): number {
  const known = (): number | undefined => {
    const row = database.prepare("select value from counters where name = ?").get(`${NAME}${boot}`);
    return row === undefined ? undefined : Number(row.value);
  };
  const offset = known();
  if (offset !== undefined) return offset;
  try {
    database.exec("begin immediate");
  } catch (error) {
    if (isBusy(error)) throw error;
    // A database that cannot be written, such as one on a full disk, cannot give leases either.
    return Math.round(wall() - sinceStart());
  }
  try {
    const made = known() ?? begin(database, boot, { wall, sinceStart });
    database.exec("commit");
    return made;
  } catch (error) {
    database.exec("rollback");
    throw error;
  }
}

function begin(database: DatabaseSync, boot: string, { wall, sinceStart }: Clocks): number {
  const nowMs = Math.trunc(wall());
  const offset = Math.round(nowMs - sinceStart());
  const former = database.prepare("delete from counters where name like ?").run(`${NAME}%`);
  database.prepare("insert into counters (name, value) values (?, ?)").run(`${NAME}${boot}`, offset);
  // If no start was stored, the leases come from an older Continuo, which used the time of day.
  if (former.changes === 0) return offset;
  database.prepare("update leases set expires_at = ? where expires_at > ?").run(nowMs, nowMs);
  return offset;
}

function msSinceStart(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

function readBoot(): string | null {
  if (process.platform !== "linux") return null;
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    // The process runs in a sandbox that hides this value.
    return null;
  }
}
