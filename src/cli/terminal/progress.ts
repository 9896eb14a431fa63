/** One line on a terminal's stderr that says how far long work has come; nothing anywhere else. */

import type { Shell } from "./shell.ts";

export interface Progress {
  show(text: string): void;
  clear(): void;
  [Symbol.dispose](): void;
}

/** Shorter work does not show a line that would flicker. */
const QUIET_MS = 300;
const EVERY_MS = 100;
const CLEAR_LINE = "\r\u001b[2K";

export function createProgress(shell: Shell): Progress {
  const { stderr, env } = shell;
  if (stderr.isTTY !== true || env.TERM === "dumb") {
    const nothing = (): void => undefined;
    return { show: nothing, clear: nothing, [Symbol.dispose]: nothing };
  }
  let lastMs = performance.now() + QUIET_MS - EVERY_MS;
  let isShown = false;
  const clear = (): void => {
    if (isShown) stderr.write(CLEAR_LINE);
    isShown = false;
  };
  // Also on Ctrl-C, which ends the process at once.
  process.once("exit", clear);
  return {
    show(text) {
      const nowMs = performance.now();
      if (nowMs - lastMs < EVERY_MS) return;
      lastMs = nowMs;
      stderr.write(`${CLEAR_LINE}${text.slice(0, (stderr.columns || 80) - 1)}`);
      isShown = true;
    },
    clear,
    [Symbol.dispose]() {
      clear();
      process.removeListener("exit", clear);
    },
  };
}
