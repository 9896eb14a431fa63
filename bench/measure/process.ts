/** Runs commands in turn and times each from start to exit. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Command {
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** Runs before every timed run, untimed. */
  readonly before?: () => void;
}

export interface MeasureOptions {
  readonly rounds: number;
}

export interface Measurement {
  readonly name: string;
  readonly medianMs: number;
  readonly minMs: number;
  readonly maxMs: number;
  /** The times of all rounds, the shortest first. */
  readonly timesMs: readonly number[];
  /** Peak resident memory of the largest run; `null` for programs that are not Node. */
  readonly peakBytes: number | null;
}

const PEAK_MEMORY = `data:text/javascript,${encodeURIComponent(
  'import{writeFileSync}from"node:fs";process.on("exit",()=>writeFileSync(process.env.BENCH_PEAK_FILE,String(process.resourceUsage().maxRSS)))',
)}`;

/** One warm-up each, then `rounds` rounds in turn; memory is taken in one more run each, so that taking it costs nothing. */
export function measure(commands: readonly Command[], { rounds }: MeasureOptions): Measurement[] {
  for (const command of commands) runOnce(command);
  const times = commands.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, command] of commands.entries()) times[index]?.push(runOnce(command));
  }
  return commands.map((command, index) => {
    const sorted = (times[index] ?? []).toSorted((a, b) => a - b);
    return {
      name: command.name,
      medianMs: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN,
      minMs: sorted[0] ?? Number.NaN,
      maxMs: sorted.at(-1) ?? Number.NaN,
      timesMs: sorted,
      peakBytes: peakMemory(command),
    };
  });
}

function runOnce(command: Command, env: Readonly<Record<string, string>> = {}): number {
  command.before?.();
  const [program, ...args] = command.argv;
  const started = process.hrtime.bigint();
  const result = spawnSync(program, args, {
    env: { PATH: process.env.PATH ?? "", ...command.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 1024 ** 3,
  });
  const elapsedMs = Number(process.hrtime.bigint() - started) / 1e6;
  if (result.error) throw result.error;
  if (result.status !== 0) {
    throw new Error(`${command.name} exited with ${result.status}: ${result.stderr.toString().slice(-500)}`);
  }
  return elapsedMs;
}

function peakMemory(command: Command): number | null {
  const folder = mkdtempSync(join(tmpdir(), "continuo-bench-"));
  const file = join(folder, "peak");
  try {
    runOnce(command, { BENCH_PEAK_FILE: file, NODE_OPTIONS: `--import=${PEAK_MEMORY}` });
    return Number(readFileSync(file, "utf8")) * 1024;
  } catch {
    // Not a Node program: nothing wrote the file.
    return null;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
