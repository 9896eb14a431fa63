/** A child process of a test, and the lines that it prints. */

import { type ChildProcess, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

export interface Child {
  readonly process: ChildProcess;
  readonly lines: readonly string[];
  /** Resolves with the first line that begins with this text; rejects if the process ends before. */
  line(beginning: string): Promise<string>;
  /** Resolves when the process has ended and everything that it printed is in `lines`. */
  ended(): Promise<number | null>;
}

/** The test starts hundreds of processes, so the code that they load is compiled only once. */
const ENVIRONMENT = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "continuo-test-compile-cache") };

export function startChild(
  args: readonly string[],
  command: string = process.execPath,
  environment: Readonly<Record<string, string>> = {},
): Child {
  const env = { ...ENVIRONMENT, ...environment };
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"], env });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => {
    lines.push(line);
    for (const look of waiting) look();
  });
  const ended = new Promise<number | null>((resolve) => {
    let code: number | null = null;
    let open = 2;
    const close = (): void => {
      if (--open === 0) resolve(code);
    };
    child.once("exit", (exitCode) => {
      code = exitCode;
      close();
    });
    reader.once("close", close);
  });
  return {
    process: child,
    lines,
    ended: () => ended,
    line: (beginning) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines.find((line) => line.startsWith(beginning));
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        void ended.then(() => {
          look();
          reject(new Error(`The process ended before it printed ${beginning}.`));
        });
        look();
      }),
  };
}
