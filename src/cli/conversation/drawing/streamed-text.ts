/** A message that is being streamed: its complete blocks are drawn, and the rest is kept. */

import { visibleText } from "@continuo/core/transcript";
import { drawMarkdown } from "../../markdown/index.ts";
import { wrap } from "../../terminal/index.ts";
import { cutBlocks } from "./blocks.ts";
import type { Pen } from "./calls.ts";
import { DRAWING_LIMITS } from "./limits.ts";

export interface StreamedText {
  readonly kind: "text" | "thinking";
  /** The text that is not drawn yet. */
  readonly pending: string;
  /** True if some of it is already drawn. */
  readonly isBegun: boolean;
}

export interface FinishedLines {
  readonly lines: readonly string[];
  readonly rest: string;
}

/** Draws the text whose meaning can no longer change. */
export function takeWhole({ kind, pending }: StreamedText, pen: Pen): FinishedLines {
  const { whole, rest } = kind === "text" ? cutBlocks(pending) : cutThought(pending);
  if (whole.trim() === "") return { lines: [], rest: whole === "" ? pending : rest };
  return { lines: draw(kind, whole, pen), rest };
}

/** Draws all of the pending text as it is now. */
export function drawPending({ kind, pending }: StreamedText, pen: Pen): string[] {
  // The other half of a surrogate pair has not arrived yet.
  return draw(kind, pending.replace(/[\ud800-\udbff]$/u, ""), pen);
}

function draw(kind: StreamedText["kind"], text: string, { columns, paint }: Pen): string[] {
  const visible = visibleText(text);
  if (visible.trim() === "") return [];
  if (kind === "text") return drawMarkdown(visible.replace(/^\n+/u, ""), { columns, paint });
  return wrap([{ text: visible.trim(), styles: ["dim", "italic"] }], columns, paint);
}

/** Thoughts are plain text, so all complete lines can be drawn, and also a very long line that has not ended. */
function cutThought(pending: string): { readonly whole: string; readonly rest: string } {
  const end = pending.lastIndexOf("\n") + 1;
  if (end === 0 && pending.length < DRAWING_LIMITS.pendingChars) return { whole: "", rest: pending };
  return end === 0
    ? { whole: pending, rest: "" }
    : { whole: pending.slice(0, end), rest: pending.slice(end) };
}
