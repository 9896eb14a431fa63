/** Runs a program under strace, which kills it at a system call or writes down its calls. */

import { type SpawnSyncOptions, spawnSync } from "node:child_process";

/**
 * Returns false if strace, and with it the program, ended by itself and with success. Throws if strace cannot be started or
 * does not end in time: that is not a kill.
 */
export function isKilledUnderStrace(args: readonly string[], options: SpawnSyncOptions): boolean {
  const { status, error } = spawnSync("strace", args, options);
  if (error !== undefined) throw new Error("strace, which the kills need, cannot be run", { cause: error });
  return status !== 0;
}
