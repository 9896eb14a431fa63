/** Runs a program under strace, which kills it at a system call or writes down its calls. */

import { type SpawnSyncOptions, spawnSync } from "node:child_process";

/**
 * Returns false if the program ended by itself and with success, true if it was killed. Throws if it ended in another
 * way, or if strace cannot be started or does not end in time.
 */
export function isKilledUnderStrace(args: readonly string[], options: SpawnSyncOptions): boolean {
  const { status, signal, error } = spawnSync("strace", args, options);
  if (error !== undefined) throw new Error("strace, which the kills need, cannot be run", { cause: error });
  // Strace ends with the signal of its program.
  if (signal === "SIGKILL") return true;
  if (status !== 0)
    throw new Error(`a program under strace ended with ${signal ?? status}, and was not killed`);
  return false;
}
