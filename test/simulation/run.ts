/** Runs simulations in separate processes, each of which simulates many seeds one after another. */

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Area } from "./areas.ts";

const PROGRAM = join(import.meta.dirname, "program.ts");
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

export interface SeedResult {
  readonly area: Area;
  readonly seed: number;
  readonly hash: string;
  readonly faults: readonly string[];
  /** The number of disturbed steps; `steps` counts all of them. */
  readonly disturbed: number;
  readonly steps: number;
  /** The command that repeats the shortest prefix of a failed seed. */
  readonly again?: string;
}

export interface Seeds {
  readonly area: Area;
  readonly from: number;
  readonly count: number;
  /** The name of a planted defect: the first seed that finds it is the last result. */
  readonly defect?: string;
  /** True to run each seed twice and compare the traces. */
  readonly replay?: boolean;
}

export async function runSeeds({
  area,
  from,
  count,
  defect,
  replay = false,
}: Seeds): Promise<readonly SeedResult[]> {
  const args = [PROGRAM, area, String(from), "--count", String(count)];
  if (defect !== undefined) args.push("--defect", defect);
  if (replay) args.push("--replay");
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: MAX_OUTPUT_BYTES });
  const lines = stdout.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as SeedResult);
}

/** The failures, each with the command that repeats it. */
export function failuresIn(results: readonly SeedResult[]): readonly string[] {
  return results.flatMap(({ area, seed, faults, again }) =>
    faults.length === 0 ? [] : [`${area} ${seed}: ${faults.join("; ")}\n${again ?? ""}`],
  );
}

/**
 * Resolves with the first seed that breaks a promise because of a planted defect, and the fault; `null` if none does.
 */
export async function firstFound(
  area: Area,
  defect: string,
  seeds: number,
): Promise<{ readonly seed: number; readonly fault: string } | null> {
  const results = await runSeeds({ area, from: 1, count: seeds, defect });
  const found = results.find(({ faults }) => faults.length > 0);
  return found === undefined ? null : { seed: found.seed, fault: found.faults[0] ?? "" };
}
