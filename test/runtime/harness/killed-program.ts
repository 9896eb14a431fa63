/** A program that is killed at random moments and started again, and clients that try until they are answered. */

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface KilledProgram {
  /** Sends a request to the program that runs now, again and again until `read` accepts the answer. */
  ask<Answer>(
    path: string,
    init: RequestInit,
    read: (response: Response) => Promise<Answer | undefined>,
  ): Promise<Answer>;
  readonly kills: number;
  readonly errors: readonly string[];
  /** No kills any more. */
  calm(): void;
  end(): Promise<void>;
}

export interface KillPlan {
  readonly kills: number;
  readonly random: () => number;
  /** The longest life of a process. */
  readonly lifeMs: number;
}

export function startKilled(args: readonly string[], plan: KillPlan): KilledProgram {
  let port = 0;
  let kills = 0;
  let isEnding = false;
  let isCalm = false;
  let child: ChildProcess | undefined;
  const errors: string[] = [];
  const lives = (async () => {
    while (!isEnding) {
      const own = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
      child = own;
      const exited = new Promise((resolve) => own.once("exit", resolve));
      createInterface(own.stdout).on("line", (line) => {
        port = Number(/^port (\d+)$/u.exec(line)?.[1] ?? port);
        if (isCalm || kills >= plan.kills) return;
        setTimeout(() => {
          if (!isCalm && own.kill("SIGKILL")) kills++;
        }, plan.random() * plan.lifeMs);
      });
      createInterface(own.stderr).on("line", (line) => errors.push(line));
      await exited;
    }
  })();
  return {
    async ask(path, init, read) {
      for (;;) {
        try {
          const answer = await read(
            await fetch(`http://127.0.0.1:${port}${path}`, { ...init, signal: AbortSignal.timeout(10_000) }),
          );
          if (answer !== undefined) return answer;
        } catch {
          // The program was killed.
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    get kills() {
      return kills;
    },
    errors,
    calm: () => {
      isCalm = true;
    },
    async end() {
      isEnding = true;
      child?.kill("SIGKILL");
      await lives;
    },
  };
}
