/** The terminal taken over, and given back as it was. */

import type { Shell } from "../terminal/index.ts";

const ENTER = "\u001b[?1049h\u001b[?7l\u001b[2J";
const LEAVE = "\u001b[?7h\u001b[?25h\u001b[?1049l";

export interface FullScreen extends Disposable {
  /** Draws every row again; the cursor stands in the first row where a column is given. */
  draw(lines: readonly string[], cursorColumn: number | null): void;
  /** Sends what is no row: an order to the terminal itself. */
  send(sequence: string): void;
}

/** Given back when disposed, and when the process ends by any way that it notices. */
export function openFullScreen(shell: Shell): FullScreen {
  const { stdin, stdout } = shell;
  let isOpen = true;
  const giveBack = (): void => {
    if (!isOpen) return;
    isOpen = false;
    stdout.write(LEAVE);
    stdin.setRawMode(false);
    stdin.pause();
  };
  const onExit = shell.onExit(giveBack);
  stdin.setRawMode(true);
  stdin.resume();
  stdout.write(ENTER);
  return {
    draw(lines, cursorColumn) {
      // A late picture must not appear on the screen of the shell.
      if (!isOpen) return;
      // Erased first: after a full row the cursor still stands on its last cell.
      const rows = lines.map((line) => `\u001b[2K${line}\u001b[0m`).join("\r\n");
      const cursor = cursorColumn === null ? "" : `\u001b[1;${cursorColumn}H\u001b[?25h`;
      stdout.write(`\u001b[?25l\u001b[H${rows}${cursor}`);
    },
    send: (sequence) => void stdout.write(sequence),
    [Symbol.dispose]() {
      giveBack();
      onExit[Symbol.dispose]();
    },
  };
}
