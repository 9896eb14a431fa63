/** Takes over the terminal, and restores it as it was. */

import type { Shell } from "../terminal/index.ts";

const ENTER = "\u001b[?1049h\u001b[?7l\u001b[2J";
const LEAVE = "\u001b[?7h\u001b[?25h\u001b[?1049l";

export interface FullScreen extends Disposable {
  /** Draws every row again; the cursor is shown if a place is given. */
  draw(lines: readonly string[], cursor: { readonly row: number; readonly column: number } | null): void;
  /** Sends bytes that are not a row: a command to the terminal itself. */
  send(sequence: string): void;
  /** Releases the terminal to another program until `takeBack`. */
  lend(): void;
  takeBack(): void;
}

/** The terminal is restored when the screen is disposed, and when the process ends in a way that it notices. */
export function openFullScreen({ stdin, onExit }: Shell, out: NodeJS.WriteStream): FullScreen {
  let isOpen = false;
  const take = (): void => {
    if (isOpen) return;
    isOpen = true;
    stdin.setRawMode(true);
    stdin.resume();
    out.write(ENTER);
  };
  const giveBack = (): void => {
    if (!isOpen) return;
    isOpen = false;
    out.write(LEAVE);
    stdin.setRawMode(false);
    stdin.pause();
  };
  const atExit = onExit(giveBack);
  take();
  return {
    draw(lines, cursor) {
      // A late screen must not appear on the screen of the shell.
      if (!isOpen) return;
      // A row is erased before it is drawn, because after a full row the cursor is still on its last cell.
      const rows = lines.map((line) => `\u001b[2K${line}\u001b[0m`).join("\r\n");
      const place = cursor === null ? "" : `\u001b[${cursor.row};${cursor.column}H\u001b[?25h`;
      out.write(`\u001b[?25l\u001b[H${rows}${place}`);
    },
    send: (sequence) => void out.write(sequence),
    lend: giveBack,
    takeBack: take,
    [Symbol.dispose]() {
      giveBack();
      atExit[Symbol.dispose]();
    },
  };
}
