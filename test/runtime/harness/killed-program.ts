/** A program that is killed at random moments and restarted, and clients that repeat a request until it is answered. */

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface KilledProgram {
  /**
   * Repeats a request to the running program until `read` accepts the answer. Rejects with the program's output if it
   * fails to start, or ends by itself, several times in a row.
   */
  ask<Answer>(
    path: string,
    init: RequestInit,
    read: (response: Response) => Promise<Answer | undefined>,
  ): Promise<Answer>;
  readonly kills: number;
  readonly errors: readonly string[];
  /** Stops the kills. */
  calm(): void;
  end(): Promise<void>;
}

export interface KillPlan {
  readonly kills: number;
  readonly random: () => number;
  /** The longest life of a process. */
  readonly lifeMs: number;
  /** A start that takes longer has failed. */
  readonly startMs?: number;
}

/** The number of failed starts in a row after which it gives up. On a busy machine a single start can be slow. */
const MAX_FAILED_STARTS = 3;
const START_MS = 60_000;
const SAID_LINES = 40;

export function startKilled(args: readonly string[], plan: KillPlan): KilledProgram {
  let port = 0;
  let kills = 0;
  let isEnding = false;
  let isCalm = false;
  let child: ChildProcess | undefined;
  let failure: Error | undefined;
  const errors: string[] = [];
  const lives = (async () => {
    for (let failed = 0; !isEnding && failure === undefined; ) {
      const own = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
      child = own;
      const closed = new Promise<number | null>((resolve) => own.once("close", resolve));
      let isUp = false;
      const waiting = setTimeout(() => own.kill("SIGKILL"), plan.startMs ?? START_MS);
      createInterface(own.stdout).on("line", (line) => {
        const [, named] = /^port (\d+)$/u.exec(line) ?? [];
        if (named === undefined) return;
        port = Number(named);
        isUp = true;
        clearTimeout(waiting);
        if (isCalm || kills >= plan.kills) return;
        setTimeout(() => {
          if (!isCalm && own.kill("SIGKILL")) kills++;
        }, plan.random() * plan.lifeMs);
      });
      createInterface(own.stderr).on("line", (line) => errors.push(line));
      const code = await closed;
      clearTimeout(waiting);
      failed = isUp && code === null ? 0 : failed + 1;
      if (failed < MAX_FAILED_STARTS || isEnding) continue;
      const how = code === null ? "does not start" : `ends by itself with ${code}`;
      failure = new Error(`the program ${how}:\n${errors.slice(-SAID_LINES).join("\n")}`);
    }
  })();
  return {
    async ask(path, init, read) {
      for (;;) {
        if (failure !== undefined) throw failure;
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
