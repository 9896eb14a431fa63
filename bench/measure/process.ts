/** Runs commands alternately, and measures the time from start to exit and the processor time of each. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Command {
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** Runs before every timed run, untimed. */
  readonly before?: () => void;
  /** Receives what each run printed, untimed. */
  readonly after?: (stdout: Buffer) => void;
}

export interface MeasureOptions {
  readonly rounds: number;
  /** False to leave out the runs before the timed ones, for commands that take many seconds. */
  readonly warmUp?: boolean;
  /**
   * `apart` measures memory in one more run, so that this does not change the times; `during` in the timed runs, for
   * commands that take many seconds; `none` not at all.
   */
  readonly memory?: "apart" | "during" | "none";
}

export interface Measurement {
  readonly name: string;
  readonly medianMs: number;
  readonly minMs: number;
  readonly maxMs: number;
  /** The times of all rounds, the shortest first. */
  readonly timesMs: readonly number[];
  /** Median of the processor time, which other programs change less than the time. */
  readonly cpuMs: number;
  /** Peak resident memory of the largest run; `null` for programs that are not Node. */
  readonly peakBytes: number | null;
}

const PEAK_MEMORY = `data:text/javascript,${encodeURIComponent(
  'import{writeFileSync}from"node:fs";process.on("exit",()=>writeFileSync(process.env.BENCH_PEAK_FILE,String(process.resourceUsage().maxRSS)))',
)}`;

/** One warm-up for each, then `rounds` alternating rounds. */
export function measure(
  commands: readonly Command[],
  { rounds, warmUp = true, memory = "apart" }: MeasureOptions,
): Measurement[] {
  if (warmUp) for (const command of commands) runOnce(command);
  const runs = commands.map((): RunResult[] => []);
  const runTimed = memory === "during" ? runWithPeak : runOnce;
  for (let round = 0; round < rounds; round++) {
    for (const [index, command] of commands.entries()) runs[index]?.push(runTimed(command));
  }
  return commands.map((command, index) => {
    const sorted = sort(runs[index]?.map(({ elapsedMs }) => elapsedMs) ?? []);
    const cpu = sort(runs[index]?.map(({ cpuMs }) => cpuMs) ?? []);
    return {
      name: command.name,
      medianMs: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN,
      minMs: sorted[0] ?? Number.NaN,
      maxMs: sorted.at(-1) ?? Number.NaN,
      timesMs: sorted,
      cpuMs: cpu[Math.floor(cpu.length / 2)] ?? Number.NaN,
      peakBytes: memory === "apart" ? peakOf([runWithPeak(command)]) : peakOf(runs[index] ?? []),
    };
  });
}

interface RunResult {
  readonly elapsedMs: number;
  /** The process and those that it waited for used it. */
  readonly cpuMs: number;
  /** `null` if it was not measured, or if the program is not Node. */
  readonly peakBytes: number | null;
}

function sort(times: readonly number[]): readonly number[] {
  return times.toSorted((a, b) => a - b);
}

/** Node does not report the processor time of a child; the shell prints it in seconds on a third stream. */
const TIMED = ["-c", `TIMEFORMAT="%3R %3U %3S"; { time "$@" 2>&4; } 4>&2 2>&3`, "bash"] as const;

function runOnce(command: Command, env: Readonly<Record<string, string>> = {}): RunResult {
  command.before?.();
  const result = spawnSync("bash", [...TIMED, ...command.argv], {
    env: { PATH: process.env.PATH ?? "", ...command.env, ...env },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    maxBuffer: 1024 ** 3,
  });
  if (result.error) throw result.error;
  if (result.status !== 0) {
    throw new Error(`${command.name} exited with ${result.status}: ${result.stderr.toString().slice(-500)}`);
  }
  command.after?.(result.stdout);
  const [elapsed = Number.NaN, user = Number.NaN, system = Number.NaN] = String(result.output[3])
    .split(" ")
    .map(Number);
  return { elapsedMs: elapsed * 1_000, cpuMs: (user + system) * 1_000, peakBytes: null };
}

function runWithPeak(command: Command): RunResult {
  const folder = mkdtempSync(join(tmpdir(), "continuo-bench-"));
  const file = join(folder, "peak");
  try {
    const result = runOnce(command, { BENCH_PEAK_FILE: file, NODE_OPTIONS: `--import=${PEAK_MEMORY}` });
    // A program that is not Node writes no such file.
    const peakBytes = existsSync(file) ? Number(readFileSync(file, "utf8")) * 1024 : null;
    return { ...result, peakBytes };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function peakOf(runs: readonly RunResult[]): number | null {
  const peaks = runs.flatMap(({ peakBytes }) => peakBytes ?? []);
  return peaks.length === 0 ? null : Math.max(...peaks);
}
