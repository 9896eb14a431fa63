/** Draws the input while an agent works, below its turn: the waiting lines, and the line that is being edited. Pure. */

import { visibleLine } from "@continuo/core/transcript";
import { cutEnd, cutStart, type Paint, plural, widthOf } from "../../terminal/index.ts";
import { DRAWING_LIMITS } from "./limits.ts";

export interface QueuedInput {
  /** Oldest first. */
  readonly waiting: readonly string[];
  readonly text: string;
  /** In UTF-16 units of the text. */
  readonly cursor: number;
}

export interface InputLine {
  readonly lines: readonly string[];
  /** Columns from the cursor to the end of the last line. */
  readonly cursorBack: number;
}

const PROMPT = "› ";

/** `↳ run the tests` for each waiting line, the newest last; then the edited line, cut around the cursor. */
export function drawInput(
  { waiting, text, cursor }: QueuedInput,
  { columns, paint }: { readonly columns: number; readonly paint: Paint },
): InputLine {
  const shown = waiting.slice(-DRAWING_LIMITS.waitingLines);
  const hidden = waiting.length - shown.length;
  const room = Math.max(4, columns - PROMPT.length - 1);
  const before = cutStart(visibleLine(text.slice(0, cursor)), room);
  const after = cutEnd(visibleLine(text.slice(cursor)), Math.max(0, room - widthOf(before)));
  return {
    lines: [
      ...(hidden > 0 ? [paint(`  ↳ ${plural(hidden, "more line")} …`, "dim")] : []),
      ...shown.map((line) => paint(cutEnd(`  ↳ ${visibleLine(line)}`, columns - 1), "dim")),
      ...(waiting.length > 0 ? [paint(cutEnd(`  ${HOW}`, columns - 1), "dim")] : []),
      `${paint(PROMPT, "dim")}${before}${after}`,
    ],
    cursorBack: widthOf(after),
  };
}

const HOW = "sent after this turn · ↑ edits";
