/** Runs a program, counts its work, and compares the counts with their limits. */

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { compiledCode } from "../sizes/shared-programs.ts";
import type { WorkCounts } from "./preload.ts";

const ROOT = join(import.meta.dirname, "../..");

/** The command, as it starts from the sources. */
export const MAIN: string = join(ROOT, "src/cli/main.ts");

/**
 * New objects are collected after one megabyte each, so the number of collections shows how many megabytes there were.
 */
const YOUNG_SPACE = ["--min-semi-space-size=1", "--max-semi-space-size=1"];

/**
 * A file that was written in the last moments may still change unnoticed: it is read again each time, and the index
 * stores nothing of it.
 */
export const SETTLING_MS = 2_500;

export interface CountedProgram {
  readonly program: string;
  readonly args?: readonly string[];
  /** Files below these two folders count, and scratch files. */
  readonly home: string;
  readonly continuoHome: string;
  readonly cwd?: string;
  /** Runs the program in a terminal, with a pager that prints the text at once. */
  readonly isInTerminal?: true;
  /** The heap of old objects; the default of Node if it is left out. */
  readonly heapMb?: number;
}

export function countWork(counted: CountedProgram): WorkCounts {
  const { program, args = [], home, continuoHome, cwd, isInTerminal, heapMb } = counted;
  const counts = join(continuoHome, "../counts.json");
  const scratch = join(continuoHome, "../tmp");
  mkdirSync(scratch, { recursive: true });
  const preload = join(ROOT, "test/counting/preload.ts");
  const heap = heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`];
  const argv = [process.execPath, ...YOUNG_SPACE, ...heap, "--import", preload, program, ...args];
  const [command = "", ...rest] = isInTerminal
    ? ["script", "-qec", argv.map(quoted).join(" "), "/dev/null"]
    : argv;
  execFileSync(command, rest, {
    env: {
      HOME: home,
      CONTINUO_HOME: continuoHome,
      TMPDIR: scratch,
      CI: "1",
      CONTINUO_COUNTS: counts,
      ...compiledCode(),
      ...(isInTerminal && { PATH: process.env.PATH, TERM: "xterm", PAGER: "cat" }),
    },
    stdio: ["ignore", "ignore", "pipe"],
    ...(cwd !== undefined && { cwd }),
  });
  return JSON.parse(readFileSync(counts, "utf8"));
}

function quoted(word: string): string {
  return `'${word}'`;
}

/** Returns the work of the second program that the first one did not have. */
export function addedWork(few: WorkCounts | undefined, many: WorkCounts | undefined): WorkCounts {
  if (few === undefined || many === undefined) throw new Error("the work was not counted");
  return Object.fromEntries(
    Object.entries(many).map(([key, count]) => [key, count - few[key as keyof WorkCounts]]),
  ) as unknown as WorkCounts;
}

/** Fails with all counts if one of them is above its limit. */
export function expectWithin(counts: WorkCounts, limits: Partial<WorkCounts>): void {
  const over = Object.entries(limits).filter(([key, limit]) => counts[key as keyof WorkCounts] > limit);
  expect(over, JSON.stringify(counts)).toEqual([]);
}

/** These counts hardly differ between runs. The number of modules, bytes and collections may differ. */
const STEADY = [
  "stats",
  "folders",
  "opened",
  "parsedTexts",
  "rows",
  "statements",
  "databaseWritten",
] as const satisfies readonly (keyof WorkCounts)[];

/**
 * Returns the limits of steady counts that are more than a tenth, and more than 3, above their counts. After an
 * improvement, the work could grow back to such a limit unnoticed: lower it.
 */
export function looseLimits(
  counts: Partial<WorkCounts>,
  limits: Partial<WorkCounts>,
): readonly (readonly [key: string, limit: number])[] {
  return STEADY.flatMap((key) => {
    const [count = 0, limit = 0] = [counts[key], limits[key]];
    return limit - count > Math.max(3, count / 10) ? [[key, limit] as const] : [];
  });
}

/**
 * Fails with all counts if one of them is above its limit, or if the limit of a steady count is far above the count.
 *
 * @param unsteady counts that depend on how long the work takes: files that changed a moment ago are looked at again
 */
export function expectNear(
  counts: WorkCounts,
  limits: Partial<WorkCounts>,
  unsteady: readonly (keyof WorkCounts)[] = [],
): void {
  expectWithin(counts, limits);
  const loose = looseLimits(counts, limits).filter(([key]) => !unsteady.includes(key as keyof WorkCounts));
  expect(loose, `limits to lower: ${JSON.stringify(counts)}`).toEqual([]);
}
