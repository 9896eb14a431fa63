/**
 * A program in a private home, which runs to its end, or talks by lines.
 *
 * It does not use `startAgent`, which reads standard output through a pipe and lets a program end by itself: some
 * witnesses lose the end of their output to a pipe, and all of them can be killed at once, since nothing in their home
 * is kept.
 */

import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { makeScratchFolder, splitLines } from "@continuo/files";
import { killAll, MARK_VARIABLE, startGuardian, type Talk } from "../process/index.ts";
import type { ProgramStart } from "./witness.ts";

/** Nothing listens at this address, so a request to a model gets no answer. */
export const CLOSED_URL = "http://127.0.0.1:9";

const TIMEOUT_MS = 60_000;
const MAX_STDERR_CHARS = 4_000;
const MAX_LINE_CHARS = 256 * 1024 * 1024;

export interface Program {
  readonly staged: ProgramStart;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Returns the output on stdout, which is a file: some programs leave the end of a pipe unwritten when they exit.
 * Errors: `verification_failed` if it fails.
 */
export async function runProgram(program: Program): Promise<string> {
  const path = join(program.staged.scratch, "stdout.txt");
  const file = openSync(path, "w", 0o600);
  let started: WitnessProcess;
  try {
    started = start(program, file);
  } finally {
    closeSync(file);
  }
  const stderr = collect(started.child);
  started.child.stdin?.end();
  const code = await endOf(started, program.staged.signal).catch((error: Error) => {
    throw failed(program, `it cannot be started: ${error.message}`);
  });
  const stdout = readFileSync(path, "utf8");
  if (code === 0) return stdout;
  throw failed(program, `it ended with ${code ?? "a signal"}: ${lastLines(stderr() || stdout)}`);
}

export interface WitnessTalk extends Talk, AsyncDisposable {}

export function talkTo(program: Program): WitnessTalk {
  const started = start(program, "pipe");
  const child = started.child as ChildProcessWithoutNullStreams;
  const stderr = collect(child);
  const end = endOf(started, program.staged.signal);
  // The end of the lines wakes a caller that waits for one.
  end.catch(() => undefined);
  return {
    send: (line) => void child.stdin.write(`${line}\n`),
    lines: splitLines(child.stdout, { maxChars: MAX_LINE_CHARS }),
    failed: (why) => failed(program, `${why} ${lastLines(stderr())}`.trim()),
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      started.kill();
      await end.catch(() => undefined);
    },
  };
}

interface WitnessProcess {
  readonly child: ChildProcess;
  /** Kills the program and everything that it started. */
  readonly kill: () => void;
  /** Resolves when the program and everything that it started are gone. */
  readonly release: () => Promise<void>;
}

function start({ staged, args, env }: Program, stdout: "pipe" | number): WitnessProcess {
  const [command = "", ...first] = staged.program;
  const tmp = join(staged.scratch, "tmp");
  const mark = randomUUID();
  makeScratchFolder(tmp);
  const child = spawn(command, [...first, ...args], {
    cwd: staged.project,
    stdio: ["pipe", stdout, "pipe"],
    // A group of its own, so that what it started can be ended with it.
    detached: true,
    env: {
      PATH: staged.searchPath,
      HOME: staged.scratch,
      TMPDIR: tmp,
      PWD: staged.project,
      LANG: "C.UTF-8",
      TERM: "dumb",
      HTTP_PROXY: CLOSED_URL,
      HTTPS_PROXY: CLOSED_URL,
      http_proxy: CLOSED_URL,
      https_proxy: CLOSED_URL,
      NO_PROXY: "127.0.0.1,localhost",
      ...env,
      [MARK_VARIABLE]: mark,
    },
  });
  const { pid } = child;
  const guardian = startGuardian({ pid, mark, searchPath: staged.searchPath });
  let state: "running" | "gone" = "running";
  // A program that ends early accepts no more input.
  child.stdin?.on("error", () => undefined);
  const kill = (): void => {
    // After the program has ended, its process id may belong to another program.
    if (pid !== undefined && state === "running") killAll(pid, mark, "SIGKILL");
  };
  const release = (): Promise<void> => {
    state = "gone";
    return guardian.release();
  };
  return { child, kill, release };
}

function collect(child: ChildProcess): () => string {
  let text = "";
  child.stderr?.setEncoding("utf8").on("data", (more: string) => {
    text = (text + more).slice(-MAX_STDERR_CHARS);
  });
  return () => text;
}

function endOf(
  { child, kill, release }: WitnessProcess,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  const timer = setTimeout(kill, TIMEOUT_MS);
  signal?.addEventListener("abort", kill, { once: true });
  return new Promise<number | null>((done, refuse) => {
    child.once("error", refuse).once("close", done);
  }).finally(async () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", kill);
    kill();
    await release();
  });
}

/**
 * Makes the error `verification_failed` for an agent that cannot be a witness. @param why a clause about the agent,
 * such as "it ended with 1"
 */
export function failed({ staged }: Pick<Program, "staged">, why: string): ContinuoError {
  return new ContinuoError(
    "verification_failed",
    `${staged.program[0]} cannot read the new session: ${why}; nothing was written`,
    {
      hint: "Use `--no-verify` to hand over without this check.",
    },
  );
}

function lastLines(text: string): string {
  return text.trim().split("\n").slice(-5).join(" ").slice(-600);
}
