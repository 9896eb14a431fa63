/** Lines that stay, and below them lines that are redrawn each time. */

import { stripVTControlCharacters } from "node:util";
import { createOutput, cutEnd, type Shell, screenOf, widthOf } from "../terminal/index.ts";

export interface LiveScreen {
  /** Rings the terminal's bell. */
  ring(): void;
  /** True if lines can be redrawn. */
  readonly isLive: boolean;
  readonly isTerminal: boolean;
  readonly columns: number;
  readonly rows: number;
  /**
   * Resolves when the terminal accepts more. Live lines that do not fit into a row are cut. `cursorBack`: the number of
   * columns from the cursor to the end of the last live line.
   */
  show(lines: readonly string[], live: readonly string[], cursorBack?: number): Promise<void>;
}

const BELL = "\u0007";
const ERASE_BELOW = "\u001b[J";

/** The live lines are left out if the output is not a terminal, or a terminal that cannot move its cursor. */
export function createLiveScreen(shell: Shell, stream: NodeJS.WriteStream): LiveScreen {
  const output = createOutput(stream);
  const isLive = stream.isTTY === true && shell.env.TERM !== "dumb";
  let shown = 0;
  // If the process ends within a turn, for whatever reason, the text so far stays, and the status of the turn is
  // removed.
  shell.onExit(() => {
    if (shown > 0) stream.write(`\r${ERASE_BELOW}`);
  });
  return {
    isLive,
    isTerminal: stream.isTTY === true,
    ring: () => void stream.write(BELL),
    get columns() {
      return screenOf(shell, stream).columns;
    },
    get rows() {
      return screenOf(shell, stream).rows;
    },
    async show(lines, live, cursorBack = 0) {
      const { columns } = screenOf(shell, stream);
      const drawn = isLive ? live.map((line) => cutToRow(line, columns)) : [];
      if (lines.length === 0 && drawn.length === 0 && shown === 0) return;
      const up = shown > 1 ? `\u001b[${shown - 1}A` : "";
      const erase = shown > 0 ? `\r${up}${ERASE_BELOW}` : "";
      shown = drawn.length;
      const back = shown > 0 && cursorBack > 0 ? `\u001b[${cursorBack}D` : "";
      await output.write(`${erase}${lines.map((line) => `${line}\n`).join("")}${drawn.join("\n")}${back}`);
    },
  };
}

/** A longer line would take two rows on the screen, and one of them would never be erased. */
function cutToRow(line: string, columns: number): string {
  const text = stripVTControlCharacters(line);
  return widthOf(text) < columns ? line : cutEnd(text, columns - 1);
}
