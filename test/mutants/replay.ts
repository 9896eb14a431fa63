/** Replays the promises of rooms: plants the mistake of each in a copy of the package, and runs the tests that may find it. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { baselineOf, isFoundBy, replaceFile } from "./copy.ts";
import type { PromiseOfRoom } from "./promises/promise.ts";

/** A promise with a mistake to plant. A promise of a list from outside may name no test. */
export type Planted = Omit<PromiseOfRoom, "test"> & Partial<Pick<PromiseOfRoom, "test">>;

export interface Replay {
  /** Copies of the package; each tries one mistake at a time. */
  readonly folders: readonly string[];
  readonly promises: readonly Planted[];
  /** The tests that may find the mistake of a promise; the first ones run first, until one fails. */
  readonly testsOf: (one: Planted) => readonly string[];
  readonly tell: (sentence: string) => void;
  /** The time in milliseconds since 1970 at which running tests are ended, and no further mistake is planted. */
  readonly endsAtMs: number;
  /** True if the tests passed before on the same source, so that they need not run without a mistake. */
  readonly havePassed: boolean;
}

export interface Replayed {
  /** The number of mistakes whose tests ended in time. */
  readonly tried: number;
  /** True if mistakes were left when the time was over. */
  readonly isTimeOver: boolean;
  /** The promises whose mistake no test found. */
  readonly survivors: readonly Planted[];
}

/** Throws when a test fails without a mistake. */
export async function replayPromises(replay: Replay): Promise<Replayed> {
  const { folders, promises, testsOf, tell, endsAtMs } = replay;
  const durations = replay.havePassed ? new Map<string, number>() : await durationsWithoutMistake(replay);
  const survivors: Planted[] = [];
  let tried = 0;
  let isTimeOver = false;
  const queue = promises.entries();
  const takeFrom = async (folder: string): Promise<void> => {
    for (const [at, one] of queue) {
      const isLate = Date.now() >= endsAtMs;
      const known = { tests: testsOf(one), durations, endsAtMs };
      const finder = isLate ? undefined : await finderIn(folder, one, known);
      if (finder === undefined) {
        isTimeOver = true;
        return;
      }
      tried++;
      if (finder === null) survivors.push(one);
      const outcome = finder === null ? "survived" : `found by ${finder}`;
      tell(`${at + 1}/${promises.length} ${outcome}: ${one.file}: ${one.promise}`);
    }
  };
  await Promise.all(folders.map(takeFrom));
  return { tried, isTimeOver, survivors };
}

export interface Verdict {
  /** The last lines of a replay. */
  readonly lines: readonly string[];
  readonly exitCode: 0 | 1;
}

/**
 * Judges a replay of so many mistakes. It fails if a mistake survived, and if none was tried for any other reason than
 * the time.
 */
export function verdictOf({ tried, isTimeOver, survivors }: Replayed, count: number): Verdict {
  const left = count - tried;
  const result = `${tried - survivors.length} of ${tried} mistakes found`;
  const lines = [
    ...(left > 0 && isTimeOver ? [`no time was left for ${left} of ${count} mistakes`] : []),
    tried > 0
      ? result
      : isTimeOver
        ? "no mistake was tried: the time was over before the tests of one had ended"
        : "no mistake was tried, although there was time: the choice of mistakes is empty, or nothing tried them",
  ];
  return { lines, exitCode: survivors.length > 0 || (tried === 0 && !isTimeOver) ? 1 : 0 };
}

async function durationsWithoutMistake({
  folders: [first = ""],
  promises,
  testsOf,
  tell,
}: Replay): Promise<ReadonlyMap<string, number>> {
  const tests = [...new Set(promises.flatMap(testsOf))].sort();
  tell(`the ${tests.length} test files of ${promises.length} promises, without a mistake …`);
  const { failing, durations } = await baselineOf(first, tests);
  const broken = tests.filter((test) => failing.has(test) || !durations.has(test));
  if (broken.length > 0) throw new Error(`without a mistake these fail or do not run: ${broken.join(", ")}`);
  return durations;
}

interface KnownTests {
  readonly tests: readonly string[];
  readonly durations: ReadonlyMap<string, number>;
  readonly endsAtMs: number;
}

/** The first test that finds the mistake; `null` if none does, `undefined` if they did not end in time. */
async function finderIn(
  folder: string,
  { file, text, mistake }: Planted,
  { tests, durations, endsAtMs }: KnownTests,
): Promise<string | null | undefined> {
  const path = join(folder, file);
  const source = readFileSync(path, "utf8");
  replaceFile(path, withMistake(source, text, mistake));
  try {
    for (const test of tests) {
      const isFound = await isFoundBy(folder, [test], durations, endsAtMs);
      if (isFound === undefined) return undefined;
      if (isFound) return test;
    }
    return null;
  } finally {
    replaceFile(path, source);
  }
}

/** Returns the source with the mistake. Throws unless the text occurs exactly once. */
export function withMistake(source: string, text: string, mistake: string): string {
  const count = source.split(text).length - 1;
  if (count !== 1) throw new Error(`the text occurs ${count} times, not once: ${text}`);
  // The replacement is a function, because a text may contain a dollar sign.
  return source.replace(text, () => mistake);
}
