/** Simulations, in a process of their own: they replace its clock and its timers. */

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

export async function runSeeds({ from, count, defect }: Seeds): Promise<readonly SeedResult[]> {
  const args = [PROGRAM, String(from), String(count), String(GENERATIONS)];
  if (defect !== undefined) args.push(defect);
  const options = { maxBuffer: 256 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(process.execPath, args, options);
  const lines = stdout.trim().split("\n");
  return lines.map((line) => JSON.parse(line) as SeedResult);
}

/** The first seed that finds a planted defect, by a broken promise or by an end of the program; `null` where none does. */
export async function firstFound(defect: string, seeds: number): Promise<number | null> {
  for (let seed = 1; seed <= seeds; seed++) {
    try {
      const [result] = await runSeeds({ from: seed, count: 1, defect });
      if (result === undefined || result.faults.length > 0) return seed;
    } catch {
      return seed;
    }
  }
  return null;
}
