/** Commands that run while a test does something else. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { cleanEnv, type Home, MAIN } from "./home.ts";

export interface Background extends AsyncDisposable {
  readonly child: ChildProcess;
  /** Returns the first line of either output that contains the words. */
  line(words: string): Promise<string>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

export function background(
  home: Home,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Background {
  const project = `${home.path}/project`;
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: existsSync(project) ? project : home.path,
    env: { ...cleanEnv(home.path), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      for (const look of waiting) look();
    });
  }
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  return {
    child,
    kill,
    line: (words) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines.find((line) => line.includes(words));
          if (found !== undefined) resolve(found);
        };
        waiting.add(look);
        void ended.then(() => reject(new Error(`it ended without ${words}: ${lines.join("\n")}`)));
        look();
      }),
    [Symbol.asyncDispose]: () => kill("SIGTERM"),
  };
}

export async function serve(
  home: Home,
): Promise<{ readonly server: Background; readonly env: Record<string, string> }> {
  const server = background(home, ["serve", "--listen", "127.0.0.1:0"]);
  const url = /http:\S+/u.exec(await server.line("listens on"))?.[0] ?? "";
  return { server, env: { CONTINUO_SERVER: url } };
}
