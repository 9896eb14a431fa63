/**
 * The program that a new terminal window starts, `in-window.ts SOCKET`: receives the command from the server, runs it
 * in the window, and reports whether it runs.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import type { WindowAnswer, WindowCommand } from "./command-messages.ts";

/** Variables that terminals set for their programs. */
const OF_TERMINALS =
  /^(?:TERM|COLORTERM|TERMINFO|LC_TERMINAL|VTE_VERSION|WINDOWID|COLUMNS|LINES|STY|TMUX|(?:TERM|LC_TERMINAL|TMUX|KITTY|KONSOLE|ALACRITTY|WEZTERM|GHOSTTY|GNOME_TERMINAL|ITERM|XTERM)_\w+)$/u;

process.exitCode = await main(process.argv[2] ?? "");

async function main(path: string): Promise<number> {
  const server = connect({ path, allowHalfOpen: true });
  const command = await handedBy(server);
  if (command === null) return await stay("The server no longer waits for this window.");
  const [name = "", ...args] = command.argv;
  // Both signals are sent to every process in the window; only the command handles them.
  for (const signal of ["SIGINT", "SIGQUIT"] as const) process.on(signal, () => undefined);
  const { program, cwd } = command;
  const child = spawn(program, args, { argv0: name, cwd, env: environmentOf(command), stdio: "inherit" });
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  const failure = await startOf(child);
  answer(server, failure === null ? { started: true } : { started: false, error: failure });
  if (failure !== null) return await stay(`${name} cannot be started: ${failure}.`);
  const [code, signal] = child.exitCode === null ? await once(child, "exit") : [child.exitCode, null];
  if (code === 0) return 0;
  return await stay(`${name} ended with ${code === null ? signal : `code ${code}`}.`);
}

async function handedBy(server: Socket): Promise<WindowCommand | null> {
  try {
    const said = await text(server);
    return said === "" ? null : JSON.parse(said);
  } catch {
    // The socket does not exist: the server gave up.
    return null;
  }
}

function answer(server: Socket, said: WindowAnswer): void {
  // The command runs, even if nobody receives the report any more.
  server.on("error", () => undefined).end(JSON.stringify(said));
}

async function startOf(child: ChildProcess): Promise<string | null> {
  try {
    if (child.pid === undefined) await once(child, "spawn");
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

function environmentOf({ env, cwd }: WindowCommand): NodeJS.ProcessEnv {
  const window = Object.entries(process.env).filter(([name]) => OF_TERMINALS.test(name));
  const server = Object.entries(env).filter(([name]) => !OF_TERMINALS.test(name));
  // Some agents trust `PWD` more than the current folder itself.
  return { ...Object.fromEntries([...server, ...window]), PWD: cwd };
}

/** Waits for Enter, because otherwise the window would close together with its last message. */
async function stay(why: string): Promise<number> {
  process.stderr.write(`\ncontinuo: ${why}\n`);
  if (!process.stdin.isTTY) return 1;
  process.stderr.write("Press Enter to close this window.\n");
  await Promise.race([once(process.stdin, "data"), once(process.stdin, "end")]);
  process.stdin.destroy();
  return 1;
}
