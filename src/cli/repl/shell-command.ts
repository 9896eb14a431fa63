/** `!COMMAND`: runs a command of the person in the folder of the session, and keeps its output for the agent. */

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { killAll, MARK_VARIABLE } from "@continuo/agents/drivers/process";
import { visibleLine } from "@continuo/core/transcript";
import { splitLines } from "@continuo/files";
import { formatCount, type Shell } from "../terminal/index.ts";
import { REPL_LIMITS } from "./limits.ts";

export interface ShellRun {
  readonly cwd: string;
  readonly shell: Shell;
  /** Asks the command to end, and kills it if it does not end. */
  readonly signal: AbortSignal;
  readonly print: (lines: readonly string[]) => Promise<void>;
}

/**
 * Prints each line when it arrives; a command that writes faster than the terminal waits. Returns what the agent
 * receives with the next prompt: the command, its output up to a limit, and its exit code.
 */
export async function runShellCommand(
  command: string,
  { cwd, shell, signal, print }: ShellRun,
): Promise<string> {
  // The command has its own process group, and a mark: ending the command ends everything that it started.
  const mark = randomUUID();
  const child = spawn(shell.env.SHELL || "/bin/sh", ["-c", command], {
    cwd,
    env: { ...shell.env, PWD: cwd, [MARK_VARIABLE]: mark },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let sent: NodeJS.Signals | undefined;
  const kill = (by: NodeJS.Signals): void => {
    sent = by;
    if (child.pid !== undefined) killAll(child.pid, mark, by);
  };
  let killing: NodeJS.Timeout | undefined;
  const stop = (): void => {
    kill("SIGTERM");
    killing = setTimeout(() => kill("SIGKILL"), REPL_LIMITS.shellEndMs);
  };
  using _killed = shell.onExit(() => kill("SIGTERM"));
  signal.addEventListener("abort", stop, { once: true });
  const { promise, resolve } = Promise.withResolvers<string>();
  child.once("error", (error) => resolve(error.message));
  child.once("close", (code, name) => {
    if (name !== null) resolve(`ended by ${name}`);
    else resolve(sent === undefined ? `exit code ${code}` : `exit code ${code} after ${sent}`);
  });
  let kept = "";
  const read = async (stream: Readable): Promise<void> => {
    for await (const whole of splitLines(stream, { maxChars: REPL_LIMITS.shellChars })) {
      const line = whole ?? LONG_LINE;
      if (kept.length < REPL_LIMITS.shellChars) kept += `${line}\n`;
      await print([`  ${visibleLine(line)}`]);
    }
  };
  await Promise.all([read(child.stdout), read(child.stderr)]);
  const end = await promise;
  clearTimeout(killing);
  signal.removeEventListener("abort", stop);
  if (end !== "exit code 0") await print([`  ${visibleLine(end)}`]);
  const cut = kept.length >= REPL_LIMITS.shellChars ? "\n[the rest is left out]" : "";
  return `\n\nI ran \`${command}\` (${end}). Its output:\n${kept.slice(0, REPL_LIMITS.shellChars)}${cut}`;
}

const LONG_LINE = `[a line of more than ${formatCount(REPL_LIMITS.shellChars)} characters]`;
