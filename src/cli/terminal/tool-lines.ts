/** The shared look of tool calls: calls, statuses, and the length at which output is cut. */

import type { ToolStatus } from "@continuo/core/model";
import type { Paint, Style } from "./paint.ts";
import { formatCount } from "./text.ts";

interface StatusLook {
  readonly text: string;
  readonly styles: readonly Style[];
}

export const STATUS_LOOKS: Readonly<Record<ToolStatus, StatusLook>> = {
  ok: { text: "✓", styles: ["green"] },
  error: { text: "✗ failed", styles: ["red"] },
  denied: { text: "✗ denied", styles: ["yellow"] },
  cancelled: { text: "✗ cancelled", styles: ["yellow"] },
  interrupted: { text: "✗ interrupted", styles: ["yellow"] },
};

/** `▸ Edit`; further text about the call follows in the same line. */
export function callHead(name: string, paint: Paint): string {
  return `${paint("▸", "blue")} ${paint(name, "bold", "blue")}`;
}

/** `◂ Edit ✗ failed`, with one of the two or both. */
export function resultHead(name: string, word: string, { status, paint }: ResultHead): string {
  const words = [paint(name, "blue"), paint(word, ...STATUS_LOOKS[status].styles)];
  return words.filter((text) => text !== "").join(" ");
}

interface ResultHead {
  readonly status: ToolStatus;
  readonly paint: Paint;
}

export interface ShortLines {
  readonly shown: readonly string[];
  /** `… 12 more lines`; `null` if every line is shown. */
  readonly more: string | null;
}

/** If only one line is hidden, the note would take as much room as the line. */
export function shortenLines(lines: readonly string[], maxLines: number): ShortLines {
  if (lines.length <= maxLines + 1) return { shown: lines, more: null };
  const more = `… ${formatCount(lines.length - maxLines)} more lines`;
  return { shown: lines.slice(0, maxLines), more };
}
