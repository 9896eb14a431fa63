/** Measurements as tables for people. */

import type { Measured } from "./process.ts";

export interface Ratio {
  readonly what: string;
  readonly ratio: number;
  /** `below`: at most the target is good; `above`: at least. */
  readonly wanted: "below" | "above";
  readonly target: number;
}

export function printTable(title: string, rows: readonly Measured[]): void {
  console.log(`\n${title}`);
  for (const { name, medianMs, minMs, maxMs, peakBytes } of rows) {
    const peak = peakBytes === null ? "" : `${Math.round(peakBytes / 1e6)} MB`;
    const time = `${medianMs.toFixed(0)} ms (${minMs.toFixed(0)} to ${maxMs.toFixed(0)})`;
    console.log(`  ${name.padEnd(44)} ${time.padEnd(28)} ${peak}`);
  }
}

export function printRatios(ratios: readonly Ratio[]): void {
  console.log("\nRatios of medians");
  for (const { what, ratio, wanted, target } of ratios) {
    const met = wanted === "below" ? ratio <= target : ratio >= target;
    const sign = wanted === "below" ? "at most" : "at least";
    console.log(
      `  ${what.padEnd(60)} ${ratio.toFixed(3).padStart(8)}   ${sign} ${target}  ${met ? "met" : "MISSED"}`,
    );
  }
}
