/** A program's report of its own memory, in a process of its own where it can call the collector. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** @param probe a module that is given the count as its argument, and prints a number */
export function runProbe(probe: string, count: number): number {
  const folder = mkdtempSync(join(tmpdir(), "continuo-memory-"));
  try {
    const file = join(folder, "probe.mjs");
    writeFileSync(file, probe);
    const args = ["--expose-gc", file, String(count)];
    return Number(execFileSync(process.execPath, args, { encoding: "utf8" }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
