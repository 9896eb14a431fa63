/** The keyboard of a terminal, or the lines of a file or a pipe. */

import type { Input, InputOptions } from "./input.ts";

export async function openInput(options: InputOptions): Promise<Input> {
  const { stdin, stdout, env } = options.shell;
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true && env.TERM !== "dumb";
  return isTerminal
    ? (await import("./keyboard.ts")).openKeyboard(options)
    : (await import("./lines.ts")).openLines(options.shell);
}
