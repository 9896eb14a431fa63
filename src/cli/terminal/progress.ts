/** Shows the progress of long work on the stderr of a terminal, and nothing if stderr is not a terminal. */

import { stripVTControlCharacters } from "node:util";
import { screenOf } from "./screen.ts";
import type { Shell } from "./shell.ts";
import { widthOf } from "./width.ts";

export interface Progress {
  /** A text that is made often is given as a function, which is called only if the text is shown. */
  show(text: string | (() => string)): void;
  /** Shows the last lines, as many as fit on the screen; `draw` is called only if they are shown. */
  showLines(draw: () => readonly string[]): void;
  clear(): void;
  [Symbol.dispose](): void;
}

/** Work that takes less time shows no line, because it would flicker. */
const QUIET_MS = 300;
const EVERY_MS = 100;
/** The interval for several lines. It is longer than for one line, so that people can read them. */
const LINES_EVERY_MS = 400;
/** Columns that stay free for the `^C` that a terminal prints. */
const FREE_COLUMNS = 3;
const [ESCAPE, ERASE_LINE_END, ERASE_BELOW] = ["\u001b", "\u001b[K", "\u001b[J"];

export function createProgress(shell: Shell): Progress {
  const { stderr, env } = shell;
  if (stderr.isTTY !== true || env.TERM === "dumb") {
    const nothing = (): void => undefined;
    return { show: nothing, showLines: nothing, clear: nothing, [Symbol.dispose]: nothing };
  }
  const begunMs = performance.now();
  let lastMs = Number.NEGATIVE_INFINITY;
  let shown: readonly string[] = [];
  const isTime = (everyMs: number): boolean => {
    const nowMs = performance.now();
    if (nowMs - begunMs < QUIET_MS || nowMs - lastMs < everyMs) return false;
    lastMs = nowMs;
    return true;
  };
  /** Moves to the first shown row; the terminal may have become narrower since then. */
  const toStart = (): string => {
    const { columns } = screenOf(shell, stderr);
    const rows = shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
    return rows > 1 ? `\r${ESCAPE}[${rows - 1}A` : "\r";
  };
  const clear = (): void => {
    if (shown.length > 0) stderr.write(`${toStart()}${ERASE_BELOW}`);
    shown = [];
  };
  const write = (lines: readonly string[]): void => {
    // Each row is overwritten and not cleared, so that nothing flickers.
    stderr.write(`${toStart()}${lines.map((line) => line + ERASE_LINE_END).join("\n")}${ERASE_BELOW}`);
    shown = lines.map((line) => stripVTControlCharacters(line));
  };
  // This also runs on Ctrl-C, which ends the process immediately.
  process.once("exit", clear);
  return {
    show(text) {
      if (!isTime(EVERY_MS)) return;
      const line = typeof text === "string" ? text : text();
      write([line.slice(0, screenOf(shell, stderr).columns - FREE_COLUMNS)]);
    },
    showLines(draw) {
      if (isTime(LINES_EVERY_MS)) write(draw().slice(-Math.max(1, screenOf(shell, stderr).rows - 1)));
    },
    clear,
    [Symbol.dispose]() {
      clear();
      process.removeListener("exit", clear);
    },
  };
}
