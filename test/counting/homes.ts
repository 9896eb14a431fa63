/** Homes of two sizes: the difference of their counts is the work for the sessions that only the larger one has. */

import { setTimeout as sleep } from "node:timers/promises";
import { makeCorpus } from "../../bench/sessions/corpus.ts";
import { SETTLING_MS } from "./work.ts";

/** The numbers of sessions. */
export const SIZES = [50, 200] as const;

/** Makes the homes below a folder, and waits until their files count as settled. */
export async function makeHomes(
  folder: string,
): Promise<readonly (readonly [sessions: number, home: string])[]> {
  const homes = SIZES.map((sessions): readonly [number, string] => [
    sessions,
    makeCorpus({ name: `counted-${sessions}`, sessions, totalBytes: sessions * 10_000 }, folder),
  ]);
  await sleep(SETTLING_MS);
  return homes;
}
