/** Streamed Markdown, cut at complete blocks, so that each block is drawn only once. Pure. */

import { lexer } from "marked";
import { DRAWING_LIMITS } from "./limits.ts";

export interface BlockSplit {
  /** Complete blocks. */
  readonly whole: string;
  /** The rest, which can still change its meaning. */
  readonly rest: string;
}

/** A block is complete when another one began after it. */
export function cutBlocks(pending: string): BlockSplit {
  if (!pending.includes("\n")) return { whole: "", rest: pending };
  if (pending.length > DRAWING_LIMITS.pendingChars) return cutLines(pending);
  try {
    const raws = lexer(pending).map(({ raw, type }) => ({ raw, isSpace: type === "space" }));
    while (raws.at(-1)?.isSpace) raws.pop();
    const last = raws.at(-1)?.raw ?? "";
    const start = pending.lastIndexOf(last);
    // The lexer of Marked may return a token that differs from the text.
    if (raws.length < 2 || start < 1) return { whole: "", rest: pending };
    return { whole: pending.slice(0, start), rest: pending.slice(start) };
  } catch (error) {
    // The text is nested deeper than the lexer can read.
    if (error instanceof RangeError) return cutLines(pending);
    throw error;
  }
}

/**
 * A block that is too long is cut at a line; a code fence that is open there is closed, and opened again in the next
 * part.
 */
function cutLines(pending: string): BlockSplit {
  const end = pending.lastIndexOf("\n") + 1;
  const whole = pending.slice(0, end);
  const fences = [...whole.matchAll(/^ {0,3}(`{3,}|~{3,})[^\n]*$/gmu)];
  const open = fences.length % 2 === 1 ? fences.at(-1) : undefined;
  if (open === undefined) return { whole, rest: pending.slice(end) };
  return { whole: `${whole}${open[1]}\n`, rest: `${open[0]}\n${pending.slice(end)}` };
}
