/** Simulations, in processes of their own: they replace the clock and the timers. */

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const PROGRAM = join(import.meta.dirname, "program.ts");
const GENERATIONS = 4;

export interface SeedResult {
  readonly seed: number;
  readonly hash: string;
  readonly faults: readonly string[];
  readonly steps: number;
}

export interface Seeds {
  readonly from: number;
  readonly count: number;
  /** The name of a planted defect. */
  readonly defect?: string;
}

/** Each seed in a process of its own: what is left of one seed in the modules would be part of the next one. */
export async function runSeeds({ from, count, defect }: Seeds): Promise<readonly SeedResult[]> {
  const results: SeedResult[] = [];
  for (let seed = from; seed < from + count; seed++) results.push(await runSeed(seed, defect));
  return results;
}

async function runSeed(seed: number, defect: string | undefined): Promise<SeedResult> {
  const args = [PROGRAM, String(seed), String(GENERATIONS)];
  if (defect !== undefined) args.push(defect);
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as SeedResult;
}

/** The first seed that finds a planted defect, by a broken promise or by an end of the program; `null` where none does. */
export async function firstFound(defect: string, seeds: number): Promise<number | null> {
  for (let seed = 1; seed <= seeds; seed++) {
    try {
      if ((await runSeed(seed, defect)).faults.length > 0) return seed;
    } catch {
      return seed;
    }
  }
  return null;
}
