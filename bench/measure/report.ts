/** Measurements as tables for people. */

import type { Measurement } from "./process.ts";

export interface Ratio {
  readonly what: string;
  readonly ratio: number;
  /** `below`: the value should be at most the target; `above`: at least. */
  readonly wanted: "below" | "above";
  readonly target: number;
}

const printed: string[] = [];

/** Prints a line, and keeps it for `printedReport`. */
export function print(line: string): void {
  console.log(line);
  printed.push(line);
}

/** Begins the report: earlier output is not part of it. */
export function beginReport(): void {
  printed.length = 0;
}

/** All tables and ratios that were printed since the report began. */
export function printedReport(): string {
  return printed.join("\n").trim();
}

export function printTable(title: string, rows: readonly Measurement[]): void {
  print(`\n${title}`);
  for (const { name, medianMs, minMs, maxMs, cpuMs, peakBytes } of rows) {
    const peak = peakBytes === null ? "" : `${Math.round(peakBytes / 1e6)} MB`;
    const time = `${medianMs.toFixed(0)} ms (${minMs.toFixed(0)} to ${maxMs.toFixed(0)})`;
    print(`  ${name.padEnd(44)} ${time.padEnd(28)} CPU ${`${cpuMs.toFixed(0)} ms`.padEnd(12)} ${peak}`);
  }
}

export function printRatios(ratios: readonly Ratio[]): void {
  print("\nRatios of medians");
  for (const { what, ratio, wanted, target } of ratios) {
    const met = wanted === "below" ? ratio <= target : ratio >= target;
    const sign = wanted === "below" ? "at most" : "at least";
    print(
      `  ${what.padEnd(60)} ${ratio.toFixed(3).padStart(8)}   ${sign} ${target}  ${met ? "met" : "MISSED"}`,
    );
  }
}
