/** Loads the two sides only when they are needed: a command that no process can answer reads only one folder. */

import type { Shell } from "../terminal/index.ts";
import type { CallerStream } from "./command-client.ts";
import type { AnsweringProcess } from "./command-server.ts";
import { programOf, socketsOf } from "./places.ts";
import { isAnswered } from "./remote-commands.ts";

/**
 * Prints the answer of a running process, and returns its exit code; `null` if the command must do the work itself, and
 * nothing was printed.
 *
 * @param file the file of the bundle: only processes of the same build are asked
 */
export async function answeredElsewhere(
  argv: readonly string[],
  shell: Shell,
  file: string,
): Promise<number | null> {
  // A person who looks for a mistake wants to see this process.
  if (!isAnswered(argv) || shell.env.CONTINUO_DEBUG !== undefined) return null;
  const all = socketsOf(shell);
  if (all.length === 0) return null;
  const program = programOf(file);
  const sockets = all.filter((path) => path.includes(`/${program}-`));
  const { askRunning } = await import("./command-client.ts");
  const { env, home, cwd, stdout, stderr } = shell;
  const answer = await askRunning(sockets, program, {
    argv,
    env,
    home,
    cwd,
    startedBy: process.ppid,
    stdout: streamOf(stdout),
    stderr: streamOf(stderr),
  });
  for (const [stream, bytes] of answer?.parts ?? []) shell[stream].write(bytes);
  return answer?.exitCode ?? null;
}

function streamOf({ isTTY, columns, rows }: NodeJS.WriteStream): CallerStream {
  return { isTTY: isTTY === true, columns: columns ?? 0, rows: rows ?? 0 };
}

/** Answers commands until it is disposed. */
export async function answerCommands(
  { run, shell }: Omit<AnsweringProcess, "program">,
  file: string,
): Promise<AsyncDisposable> {
  const answering = { run, shell, program: programOf(file) };
  return await (await import("./command-server.ts")).answerCommands(answering);
}
