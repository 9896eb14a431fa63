/** A program in a separate process, which tests kill in the middle of its work. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

export interface KillableProgram {
  /**
   * Resolves when the program prints its first words, as a server does when it listens. Rejects if the program ends
   * before.
   */
  start(): Promise<void>;
  /** Does nothing if the program does not run. */
  kill(): Promise<void>;
}

/** @param args the program of Node, and its arguments */
export function killable(args: readonly string[], cwd?: string): KillableProgram {
  let child: ChildProcess | undefined;
  return {
    async start() {
      const started = spawn(process.execPath, args, {
        stdio: ["ignore", "pipe", "inherit"],
        ...(cwd === undefined ? {} : { cwd }),
      });
      child = started;
      const ended = once(started, "exit").then(() => Promise.reject(new Error(`${args[0]} ended at once`)));
      await Promise.race([once(started.stdout, "data"), ended]);
    },
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}
