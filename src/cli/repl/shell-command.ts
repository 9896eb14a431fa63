/** `!COMMAND`: runs a command of the person in the folder of the session, and keeps its output for the agent. */

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { visibleLine } from "@continuo/core/transcript";
import type { Shell } from "../terminal/index.ts";
import { REPL_LIMITS } from "./limits.ts";

export interface ShellRun {
  readonly cwd: string;
  readonly shell: Shell;
  readonly signal: AbortSignal;
  readonly print: (lines: readonly string[]) => Promise<void>;
}

/**
 * Prints each line as it comes. Returns what the agent is told with the next prompt: the command, its output up to a limit,
 * and its exit code.
 */
export async function runShellCommand(
  command: string,
  { cwd, shell, signal, print }: ShellRun,
): Promise<string> {
  // A group of its own: the end of the command is the end of all that it started.
  const child = spawn(shell.env.SHELL ?? "/bin/sh", ["-c", command], {
    cwd,
    env: { ...shell.env, PWD: cwd },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
    } catch {
      // The group has ended.
    }
  };
  using _killed = shell.onExit(kill);
  signal.addEventListener("abort", kill, { once: true });
  const { promise, resolve } = Promise.withResolvers<string>();
  child.once("error", (error) => resolve(error.message));
  child.once("close", (code, name) => resolve(name === null ? `exit code ${code}` : `ended by ${name}`));
  let kept = "";
  let printing = Promise.resolve();
  const take = (line: string): void => {
    if (kept.length < REPL_LIMITS.shellChars) kept += `${line.slice(0, REPL_LIMITS.shellChars)}\n`;
    printing = printing.then(() => print([`  ${visibleLine(line)}`]));
  };
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on("line", take);
  const end = await promise;
  signal.removeEventListener("abort", kill);
  await printing;
  if (end !== "exit code 0") await print([`  ${visibleLine(end)}`]);
  const cut = kept.length >= REPL_LIMITS.shellChars ? "\n[the rest is left out]" : "";
  return `\n\nI ran \`${command}\` (${end}). Its output:\n${kept.slice(0, REPL_LIMITS.shellChars)}${cut}`;
}
