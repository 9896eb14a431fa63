/** Replays the promises of rooms: plants the mistake of each in a copy of the package, and runs the test that finds it. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { baselineOf, isFoundBy } from "./copy.ts";
import type { PromiseOfRoom } from "./promises/promise.ts";

export interface Replay {
  /** Copies of the package; each tries one mistake at a time. */
  readonly folders: readonly string[];
  readonly promises: readonly PromiseOfRoom[];
  readonly tell: (sentence: string) => void;
}

/** The promises whose mistake their test did not find. Throws when a test fails without a mistake. */
export async function replayPromises({ folders, promises, tell }: Replay): Promise<readonly PromiseOfRoom[]> {
  const tests = [...new Set(promises.map(({ test }) => test))].sort();
  const [first = ""] = folders;
  tell(`the ${tests.length} test files of ${promises.length} promises, without a mistake …`);
  const { failing, durations } = await baselineOf(first, tests);
  const broken = tests.filter((test) => failing.has(test) || !durations.has(test));
  if (broken.length > 0) throw new Error(`without a mistake these fail or do not run: ${broken.join(", ")}`);
  const survivors: PromiseOfRoom[] = [];
  const queue = promises.entries();
  const takeFrom = async (folder: string): Promise<void> => {
    for (const [at, one] of queue) {
      const isFound = await isFoundIn(folder, one, durations);
      if (!isFound) survivors.push(one);
      tell(`${at + 1}/${promises.length} ${isFound ? "found" : "survived"}: ${one.file}: ${one.promise}`);
    }
  };
  await Promise.all(folders.map(takeFrom));
  return survivors;
}

async function isFoundIn(
  folder: string,
  { file, text, mistake, test }: PromiseOfRoom,
  durations: ReadonlyMap<string, number>,
): Promise<boolean> {
  const path = join(folder, file);
  const source = readFileSync(path, "utf8");
  writeFileSync(path, withMistake(source, text, mistake));
  try {
    return await isFoundBy(folder, [test], durations);
  } finally {
    writeFileSync(path, source);
  }
}

/** Throws unless the text occurs exactly once. */
export function withMistake(source: string, text: string, mistake: string): string {
  const count = source.split(text).length - 1;
  if (count !== 1) throw new Error(`the text occurs ${count} times, not once: ${text}`);
  // A function, because a replacement may hold a dollar sign.
  return source.replace(text, () => mistake);
}
