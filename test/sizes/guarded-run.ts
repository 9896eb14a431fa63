/**
 * Runs a test command to its end. A test that was given up may leave a process behind that holds the output of its
 * worker, and Vitest waits for the end of that output. So processes that were left behind are killed after a long time
 * without output. Linux only, like `.ci/run`.
 */

import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** The time without output is longer than that of any test. */
const QUIET_MS = 4 * 60_000;

export interface GuardedRun {
  readonly code: number;
  readonly output: string;
}

export interface GuardedOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** After this silence, the processes that were left behind are killed. */
  readonly quietMs?: number;
  /** The time at which the whole run is killed, in seconds since 1970. */
  readonly endsAt?: number;
  /** Receives the output and the reports of kills; standard output by default. */
  readonly print?: (text: string) => void;
}

export async function guardedRun(
  [program = "", ...args]: readonly string[],
  { quietMs = QUIET_MS, endsAt, print = toStdout, ...options }: GuardedOptions = {},
): Promise<GuardedRun> {
  // A separate process group shows which processes belong to the run.
  const child = spawn(program, args, { ...options, detached: true, stdio: ["inherit", "pipe", "pipe"] });
  const { promise: ended, resolve, reject } = Promise.withResolvers<number>();
  child.on("error", reject);
  child.on("close", (status) => resolve(status ?? 1));
  let output = "";
  const end = (): void => {
    print("\n== the tests were ended, because their time was over\n");
    if (child.pid !== undefined) killIfThere(-child.pid, "SIGKILL");
    // A process that left the group may still hold the output.
    resolve(1);
  };
  const kill = (): void => {
    for (const pid of child.pid === undefined ? [] : orphansOf(readProcesses(), child.pid)) {
      print(`\n== killed process ${pid}, which a test left behind\n`);
      killIfThere(pid, "SIGKILL");
    }
  };
  const timer = setInterval(kill, quietMs);
  const over = endsAt === undefined ? undefined : setTimeout(end, Math.max(0, endsAt * 1_000 - Date.now()));
  for (const from of [child.stdout, child.stderr]) {
    from.setEncoding("utf8").on("data", (text: string) => {
      timer.refresh();
      output += text;
      print(text);
    });
  }
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  // A signal to this process is meant for the whole group.
  const forward = (signal: NodeJS.Signals): void => void (child.pid && killIfThere(-child.pid, signal));
  for (const signal of signals) process.on(signal, forward);
  try {
    return { code: await ended, output };
  } finally {
    clearInterval(timer);
    clearTimeout(over);
    for (const signal of signals) process.off(signal, forward);
  }
}

function toStdout(text: string): void {
  process.stdout.write(text);
}

export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
}

/** The processes of a group whose parent is gone. The leader's parent is the process that started the group. */
export function orphansOf(all: readonly ProcessInfo[], group: number): readonly number[] {
  const members = all.filter((one) => one.group === group);
  const pids = new Set(members.map(({ pid }) => pid));
  return members.filter(({ pid, parent }) => pid !== group && !pids.has(parent)).map(({ pid }) => pid);
}

function readProcesses(): readonly ProcessInfo[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/u.test(name)) return [];
    try {
      // "PID (NAME) STATE PARENT GROUP …", and a name may hold anything.
      const [, parent, group] =
        readFileSync(`/proc/${name}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
      return [{ pid: Number(name), parent: Number(parent), group: Number(group) }];
    } catch {
      // The process has ended.
      return [];
    }
  });
}

function killIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
