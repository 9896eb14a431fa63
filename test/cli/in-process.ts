/** Runs commands and servers in this process, with streams that are not a terminal. */

import { PassThrough, Writable } from "node:stream";
import { present } from "@continuo/core/model";
import { reportFailure } from "../../src/cli/failure.ts";
import { runProgram } from "../../src/cli/program.ts";
import type { DetachedCommand, Shell } from "../../src/cli/terminal/index.ts";
import { cleanEnv, type Home, type Run, run, SINGLE } from "./home.ts";

export interface RunHereOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: string;
  readonly now?: Date;
  /** The columns of standard output as a terminal; by default it is a pipe. */
  readonly columns?: number;
  /** The callback that receives a background process which the command would start; by default none is started. */
  readonly onDetached?: (command: DetachedCommand) => void;
}

/** The same tests also run the executable, unless they need this process. */
export async function runHere(
  home: Pick<Home, "path">,
  args: readonly string[],
  options: RunHereOptions = {},
): Promise<Run> {
  const { now, columns, onDetached, ...process } = options;
  if (SINGLE === undefined || (now ?? columns ?? onDetached) !== undefined)
    return await runInProcess(home, args, options);
  return await run(home, args, process);
}

/** For tests of a home in which nothing was written yet, and of the terminal that asks: the executable has files of its own there. */
export async function runInProcess(
  home: Pick<Home, "path">,
  args: readonly string[],
  options: RunHereOptions = {},
): Promise<Run> {
  return await startHere(home, args, options).ended;
}

export interface StartedCommand {
  readonly ended: Promise<Run>;
  /** Returns the text that it has printed to standard output by now. */
  stdout(): string;
  /** Sends the same signal as Ctrl-C to a command that handles it. */
  interrupt(): void;
}

export interface TestShell {
  readonly shell: Shell;
  stdout(): string;
  stderr(): string;
  interrupt(): void;
}

/** A shell whose streams record their output. */
export function shellHere(home: Pick<Home, "path">, options: RunHereOptions = {}): TestShell {
  const [stdout, stderr] = [collector(options.columns), collector(undefined)];
  const interrupts = new Set<() => void>();
  const shell: Shell = {
    stdin: Object.assign(new PassThrough().end(options.stdin ?? ""), { isTTY: false }) as never,
    stdout: stdout.stream as never,
    stderr: stderr.stream as never,
    env: { ...cleanEnv(home.path), TERM: "dumb", ...options.env },
    home: home.path,
    cwd: options.cwd ?? home.path,
    now: options.now ?? new Date(),
    holdInterrupts(onInterrupt = () => undefined) {
      interrupts.add(onInterrupt);
      return { [Symbol.dispose]: () => void interrupts.delete(onInterrupt) };
    },
    holdTermination: () => ({ [Symbol.dispose]: () => undefined }),
    ...present({ startDetached: toStart(options.onDetached) }),
    onExit: () => ({ [Symbol.dispose]: () => undefined }),
  };
  return {
    shell,
    stdout: () => stdout.text(),
    stderr: () => stderr.text(),
    interrupt() {
      for (const call of interrupts) call();
    },
  };
}

/** Runs a command as the program does, and returns its exit code. */
export async function runProgramHere(args: readonly string[], shell: Shell): Promise<number> {
  return await runProgram(args, shell).catch((error: unknown) => reportFailure(error, args, shell));
}

export function startHere(
  home: Pick<Home, "path">,
  args: readonly string[],
  options: RunHereOptions = {},
): StartedCommand {
  const { shell, stdout, stderr, interrupt } = shellHere(home, options);
  const run = async (): Promise<Run> => {
    const code = await runProgramHere(args, shell);
    return { code, stdout: stdout(), stderr: stderr() };
  };
  return { ended: run(), stdout, interrupt };
}

function toStart(onDetached: RunHereOptions["onDetached"]): Shell["startDetached"] {
  return onDetached && (async (command) => onDetached(command));
}

function collector(columns: number | undefined): { readonly stream: Writable; text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  Object.assign(stream, columns === undefined ? {} : { isTTY: true, columns, rows: 100_000 });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}
