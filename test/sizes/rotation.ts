/**
 * Some tests are too many for each run of CI: those of the full size, those by the real agents, their pairs, hand-overs
 * of recorded sessions, the moments of a kill, the suites of agent frameworks, the tests of the single executable, and the
 * mistakes that break a promise.
 * A run of CI takes a part of them. The commit decides which one, so that a failure can be repeated, and the runs of
 * several commits cover all parts. `npm run test:full` and the soak take all of them.
 */

import { execFileSync } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const { CONTINUO_PART } = process.env;

/**
 * The number has no common factor with `MOMENT_PARTS`, so that each part of the files meets each part of their moments
 * and pairs.
 */
export const AGENT_PARTS = 13;
/** Other digits of the commit decide this part than the part of the moments. */
export const FULL_PARTS = 3;
/** A test that kills at a third of its moments still kills at several. */
export const MOMENT_PARTS = 3;
/** With four, the two suites that take longest are not in the same part. */
export const FRAMEWORK_PARTS = 4;
/** The executable runs only a part of the command's tests, because all of them already ran from the sources. */
export const EXECUTABLE_PARTS = 3;
/** A part is about ten mistakes, which take at most a minute. */
export const PROMISE_PARTS = 127;

/**
 * Returns the part of a commit in the form of Vitest's `--shard`.
 * @param commit its hash in hexadecimal digits, of which eight count
 */
export function partOf(commit: string, parts: number): string {
  const digits = /^[0-9a-f]{8}/u.exec(commit)?.[0];
  if (digits === undefined) throw new Error(`this is not the hash of a commit: ${JSON.stringify(commit)}`);
  return `${(Number.parseInt(digits, 16) % parts) + 1}/${parts}`;
}

/** The hash of the commit that is checked out. */
export function headCommit(): string {
  return execFileSync("git", ["-c", "safe.directory=*", "rev-parse", "HEAD"], {
    cwd: ROOT,
    encoding: "utf8",
  });
}

/**
 * Returns the moments that this run tries, in order; all of them without a part.
 * @param part such as `2/3`
 */
export function momentsOfRun<T>(
  moments: readonly T[],
  part: string | undefined = CONTINUO_PART,
): readonly T[] {
  if (part === undefined) return moments;
  const [number, parts] = part.split("/").map(Number);
  if (!number || !parts) throw new Error(`this is not a part: ${JSON.stringify(part)}`);
  return moments.filter((_, at) => at % parts === number - 1);
}

/**
 * Returns the pairs of this run. Each element is equally often first and equally often second.
 * @param part such as `2/3`
 */
export function pairsOfRun<T>(
  all: readonly T[],
  part: string | undefined = CONTINUO_PART,
): readonly (readonly [T, T])[] {
  const numbers = all.map((_, at) => at);
  return numbers.flatMap((row) =>
    momentsOfRun(
      numbers.map((at) => (at + all.length - row) % all.length),
      part,
    ).map((column) => [all[row] as T, all[column] as T] as const),
  );
}

/** Returns the same for moments that have only a number, from 0. */
export function numbersOfRun(count: number, part?: string): readonly number[] {
  return momentsOfRun([...Array(count).keys()], part);
}
