/** Declares a property of a `*.soak.test.ts` with its full count. */

import { join } from "node:path";
import { test } from "vitest";
import { type RunBatch, runRounds, type SoakProgress } from "./rounds.ts";

const report = ({ name: property, done, count, date }: SoakProgress): void => {
  process.stderr.write(`${date.slice(11, 19)} ${property}: ${done} of ${count}\n`);
};
const DEFAULT_FOLDER = join(import.meta.dirname, "../../.soak");
const MAX_SEED = 0x7fffffff;

/** @param runBatch throws when one of the batch's rounds fails; all its randomness comes from the batch's seed */
export function soakTest(
  name: string,
  { count, batchSize }: { readonly count: number; readonly batchSize: number },
  runBatch: RunBatch,
): void {
  // Harnesses of single tests set their own limits.
  test(name, { timeout: 24 * 60 * 60_000 }, async () => {
    const { CONTINUO_SOAK_SEED: given, CONTINUO_SOAK_FOLDER: folder = DEFAULT_FOLDER } = process.env;
    const seed = given === undefined ? Math.floor(Math.random() * MAX_SEED) : Number(given);
    await runRounds({ name, count, batchSize, folder, seed, now: () => new Date(), report }, runBatch);
  });
}
