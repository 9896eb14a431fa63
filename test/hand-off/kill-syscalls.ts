/**
 * Kills a process at a system call that changes something below a folder. First strace counts the calls of a whole run,
 * then each run ends just before one of them.
 */

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isKilledUnderStrace } from "../strace.ts";

/**
 * The calls that change names or bytes. `write` counts for files that were opened for writing; `pwrite64` is mostly
 * used by databases.
 */
const CALLS = [
  ...["rename", "renameat", "renameat2", "link", "linkat", "symlink", "unlink", "unlinkat", "rmdir", "mkdir"],
  ...["write", "pwrite64", "writev", "pwritev", "ftruncate", "fsync", "fdatasync", "openat"],
];

export interface KillPoint {
  readonly call: string;
  /** The number of this call by the main thread, counted from 1. */
  readonly nth: number;
  /**
   * True if the note of the edit was already removed at this point of the counted run, so that only the exit was left.
   */
  readonly isAfterEnd: boolean;
}

export interface KillTarget {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The folder whose changes count. */
  readonly below: string;
  /**
   * True if each write of a database is a point; otherwise only the first, the middle and the last one of a series are.
   */
  readonly hasEachWrite?: true;
}

const LIMIT_MS = 120_000;

/** A killed edit leaves its note; a completed one has removed it, as its last change. */
const NOTE_REMOVED = /^unlink(?:at)?\(.*\/\.continuo\/unfinished\//u;

function isKilled(log: string, options: readonly string[], { argv, env }: KillTarget): boolean {
  // Only the main thread counts, because it changes the files, and other threads would make the counts differ.
  const args = ["-qq", "-y", "-o", log, ...options, process.execPath, ...argv];
  return isKilledUnderStrace(args, { env: { ...env }, stdio: "ignore", timeout: LIMIT_MS });
}

/** Returns the points of a complete run, in their order. */
export function killPointsOf(run: KillTarget, scratch: string): readonly KillPoint[] {
  const log = join(scratch, "strace.log");
  if (isKilled(log, ["-e", `trace=${CALLS.join(",")}`], run)) throw new Error(`${run.argv.join(" ")} failed`);
  const counts = new Map<string, number>();
  const runs: { readonly of: string; readonly points: KillPoint[] }[] = [];
  const lines = readFileSync(log, "utf8").split("\n");
  const removed = lines.findLastIndex((line) => NOTE_REMOVED.test(line));
  // An edit that is one transaction needs no note.
  const end = removed === -1 ? lines.length : removed;
  for (const [at, line] of lines.entries()) {
    const call = /^(\w+)\(/u.exec(line)?.[1];
    if (call === undefined) continue;
    const nth = (counts.get(call) ?? 0) + 1;
    counts.set(call, nth);
    const isChange = call !== "openat" || /O_CREAT|O_TRUNC/u.test(line);
    if (!isChange || !line.includes(run.below)) continue;
    const point = { call, nth, isAfterEnd: at > end };
    const path = /<([^>]*\/[^>]*)>/u.exec(line)?.[1] ?? line;
    const database = /^.*\.db(?=-wal$|-shm$|-journal$|$)/u.exec(path)?.[0];
    const of = database ?? `${call} ${path}`;
    const last = runs.at(-1);
    if (last?.of === of) last.points.push(point);
    else runs.push({ of, points: [point] });
  }
  rmSync(log);
  return runs.flatMap(({ points }) => (run.hasEachWrite === true ? points : firstMiddleLast(points)));
}

/** A series of writes of a database counts as one change, however many pages it writes. */
function firstMiddleLast(points: readonly KillPoint[]): readonly KillPoint[] {
  if (points.length <= 3) return points;
  return [points[0], points[Math.floor(points.length / 2)], points.at(-1)].filter(
    (point) => point !== undefined,
  );
}

/** Kills the run at this point, and returns true if it was killed. */
export function killAt({ call, nth }: KillPoint, run: KillTarget, scratch: string): boolean {
  const log = join(scratch, "strace.log");
  const inject = ["-e", `trace=${call}`, "-e", `inject=${call}:signal=KILL:when=${nth}`];
  const wasKilled = isKilled(log, inject, run);
  rmSync(log, { force: true });
  return wasKilled;
}
