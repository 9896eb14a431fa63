/**
 * Long output on a terminal goes through a pager: `$PAGER`, else `less -R`. Short output is printed.
 *
 * Ctrl-C belongs to the pager while it runs. `LESSSECURE` keeps the pager from starting programs, because its text
 * comes from sessions.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { createOutput, type Output } from "./output.ts";
import type { Screen } from "./screen.ts";
import type { Shell } from "./shell.ts";
import { widthOf } from "./width.ts";

/** The place at which the pager opens: the top, the end, or a line (1-based) if all of the text is known. */
export type PagerStart =
  | { readonly at: "start" }
  | { readonly at: "end" }
  | { readonly at: "line"; readonly lineOf: (text: string) => number };

interface PageOptions {
  readonly shell: Shell;
  readonly screen: Screen;
  readonly opening: PagerStart;
}

/** Chunks end with a line feed. With `at: "line"` everything is held in memory before it is shown. */
export async function page(chunks: AsyncIterable<string>, options: PageOptions): Promise<void> {
  const { shell, screen, opening } = options;
  const stdout = createOutput(shell.stdout);
  const command = pagerCommand(shell);
  if (!screen.isTerminal || command === null) {
    for await (const chunk of chunks) await stdout.write(chunk);
    return;
  }
  let held = "";
  let rows = 0;
  let pager: Pager | null = null;
  for await (const chunk of chunks) {
    if (pager !== null) {
      await pager.output.write(chunk);
      if (pager.output.isClosed) break;
      continue;
    }
    held += chunk;
    rows += rowsOf(chunk, screen.columns);
    // The shell's prompt needs the last row.
    if (rows < screen.rows || opening.at === "line") continue;
    pager = startPager(command, opening.at === "end" ? "+G" : null, shell);
    await pager.output.write(held);
    held = "";
  }
  if (pager === null && rows >= screen.rows && opening.at === "line") {
    pager = startPager(command, `+${opening.lineOf(held)}`, shell);
    await pager.output.write(held);
  }
  if (pager === null) await stdout.write(held);
  else await pager.finish();
}

interface Pager {
  readonly output: Output;
  finish(): Promise<void>;
}

/** The rows of the screen that a text takes: a line that is longer than a row wraps. */
function rowsOf(chunk: string, columns: number): number {
  const lines = chunk.split("\n").slice(0, -1);
  return lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(widthOf(stripStyles(line)) / columns)), 0);
}

function stripStyles(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what `paint` writes
  return line.replace(/\u001b\[[\d;]*m/gu, "");
}

/**
 * Returns `null` if there is no pager: an empty `$PAGER`, `cat`, no `less` on this machine, or a terminal that cannot
 * move its cursor.
 */
function pagerCommand({ env }: Shell): string | null {
  if (env.TERM === "dumb") return null;
  if (env.PAGER === undefined) return isOnPath("less", env.PATH) ? "less -R" : null;
  const command = env.PAGER.trim();
  return command === "" || command === "cat" ? null : command;
}

function isOnPath(program: string, path = ""): boolean {
  return path.split(delimiter).some((folder) => folder !== "" && existsSync(join(folder, program)));
}

function startPager(command: string, opening: string | null, shell: Shell): Pager {
  const isLess = /^(?:\S*\/)?less(?:\s|$)/u.test(command);
  const line = isLess ? `${command}${/\s-\w*[rR]/u.test(command) ? "" : " -R"} ${opening ?? ""}` : command;
  const child = spawn("/bin/sh", ["-c", line], {
    stdio: ["pipe", "inherit", "inherit"],
    env: { LESSCHARSET: "utf-8", ...shell.env, LESSSECURE: "1" },
  });
  const hold = shell.holdInterrupts();
  const ended = endOf(child);
  // Leaving the pager before the end breaks the pipe; `isClosed` reports this.
  child.stdin.on("error", () => undefined);
  return {
    output: createOutput(child.stdin),
    async finish() {
      child.stdin.end();
      const code = await ended;
      hold[Symbol.dispose]();
      if (code === 126 || code === 127) throw noPager(command);
    },
  };
}

async function endOf(child: ChildProcess): Promise<number | null> {
  const [code]: (number | null)[] = await once(child, "close");
  return code ?? null;
}

function noPager(command: string): ContinuoError {
  return new ContinuoError("usage", `cannot start the pager ${JSON.stringify(command)}`, {
    hint: "Set PAGER to a program that exists, or to `cat` for none.",
  });
}
