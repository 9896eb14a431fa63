/** The home, the command, the start of Node and the ratios of two measurements, which the rows of commands share. */

import { join } from "node:path";
import type { Command, Measurement } from "../measure/index.ts";
import type { WaitsOptions } from "./rows.ts";

export const ROOT: string = join(import.meta.dirname, "../..");
export const BIN: string = join(ROOT, "bin/continuo.js");

export const NODE: Command = { name: "node -e 0", argv: [process.execPath, "-e", "0"] };

export interface BenchCommands extends WaitsOptions {
  /** The number of sessions in the home, as a row shows it. */
  readonly ofSessions: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly continuo: (name: string, ...args: string[]) => Command;
}

/** The ratio of the medians of the processor times. */
export function ratioOf([first, second]: readonly Measurement[]): number {
  return (first?.cpuMs ?? Number.NaN) / (second?.cpuMs ?? Number.NaN);
}

export function clockRatioOf([first, second]: readonly Measurement[]): number {
  return (first?.medianMs ?? Number.NaN) / (second?.medianMs ?? Number.NaN);
}
