/** Runs Continuo's command as a process, and measures its memory. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const COMMAND = join(import.meta.dirname, "../../src/cli/main.ts");

const NOTE_PEAK = `data:text/javascript,${encodeURIComponent(
  'import{writeFileSync}from"node:fs";process.on("exit",()=>writeFileSync(process.env.PEAK_FILE,String(process.resourceUsage().maxRSS)))',
)}`;

export interface ProcessResult {
  readonly status: number | null;
  readonly stderr: string;
  /** Peak resident memory; `null` if the process was killed. */
  readonly peakBytes: number | null;
}

export interface RunOptions {
  readonly home: string;
  /** The default of Node if it is left out. */
  readonly heapMegabytes?: number;
  /** The command as another module: bundled, it starts faster. */
  readonly command?: string;
}

/** Agents are not found, because they would be other processes. */
export function runContinuo(
  args: readonly string[],
  { home, heapMegabytes, command = COMMAND }: RunOptions,
): ProcessResult {
  const folder = mkdtempSync(join(tmpdir(), "continuo-peak-"));
  const file = join(folder, "peak");
  const heap = heapMegabytes === undefined ? [] : [`--max-old-space-size=${heapMegabytes}`];
  try {
    const { status, stderr } = spawnSync(
      process.execPath,
      [...heap, `--import=${NOTE_PEAK}`, command, ...args],
      { env: { HOME: home, PATH: "/usr/bin:/bin", PEAK_FILE: file, CI: "1" }, encoding: "utf8" },
    );
    return { status, stderr, peakBytes: peakIn(file) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function peakIn(file: string): number | null {
  try {
    return Number(readFileSync(file, "utf8")) * 1024;
  } catch {
    // The process was ended before it wrote the file.
    return null;
  }
}
