/** Tool calls and results drawn for a terminal, short or in full. */

import type { Part, ResultPart } from "../../transcript/index.ts";
import { cutEnd, formatCount, type Paint, type Style, widthOf, wrap } from "../terminal/index.ts";
import type { View } from "./view.ts";

interface ToolPen {
  readonly view: View;
  readonly columns: number;
  readonly paint: Paint;
  readonly lastCallId: string | null;
}

const SHORT_RESULT_LINES = 12;
const RESULT_INDENT = "  ";

const STATUS: Readonly<
  Record<ResultPart["status"], { readonly text: string; readonly styles: readonly Style[] }>
> = {
  ok: { text: "", styles: [] },
  error: { text: "✗ failed", styles: ["red"] },
  denied: { text: "✗ denied", styles: ["yellow"] },
  cancelled: { text: "✗ cancelled", styles: ["yellow"] },
  interrupted: { text: "✗ interrupted", styles: ["yellow"] },
};

export function drawCall(call: Extract<Part, { type: "call" }>, pen: ToolPen): string[] {
  const { paint, columns } = pen;
  const name = cutEnd(call.name, Math.max(8, columns - 4));
  const child =
    call.childSessionId === null ? [] : [paint(cutEnd(`  sub-agent ${call.childSessionId}`, columns), "dim")];
  if (pen.view.tools === "full") {
    const input = wrap([{ text: call.input }], columns - 2, paint).map((line) => RESULT_INDENT + line);
    return [`${paint("▸", "blue")} ${paint(name, "bold", "blue")}`, ...input, ...child];
  }
  const room = columns - widthOf(name) - 4;
  const argument = call.argument === null ? "" : `  ${cutEnd(call.argument, Math.max(0, room))}`;
  return [`${paint("▸", "blue")} ${paint(name, "bold", "blue")}${argument}`, ...child];
}

export function drawResult(result: ResultPart, pen: ToolPen): string[] {
  const { paint, columns } = pen;
  const { text: word, styles } = STATUS[result.status];
  const isNamed = result.toolCallId !== pen.lastCallId;
  const lines: string[] = [];
  if (isNamed || word !== "") {
    const name = isNamed ? cutEnd(result.name ?? "result", Math.max(8, columns - 20)) : "";
    lines.push(
      `${paint("◂", "blue")} ${[paint(name, "blue"), paint(word, ...styles)].filter((t) => t !== "").join(" ")}`,
    );
  }
  const room = Math.max(10, columns - RESULT_INDENT.length);
  const body = result.text.trimEnd() === "" ? "(no output)" : result.text.trimEnd();
  const drawn =
    pen.view.tools === "full"
      ? wrap([{ text: body, styles: ["dim"] }], room, paint)
      : shorten(body, room, paint);
  return [...lines, ...drawn.map((line) => (line === "" ? "" : RESULT_INDENT + line))];
}

function shorten(text: string, columns: number, paint: Paint): string[] {
  const lines = text.split("\n");
  // One hidden line would take a line to say so.
  const count = lines.length === SHORT_RESULT_LINES + 1 ? lines.length : SHORT_RESULT_LINES;
  const shown = lines
    .slice(0, count)
    .map((line) => paint(cutEnd(line.replaceAll("\t", "    "), columns), "dim"));
  const hidden = lines.length - shown.length;
  if (hidden > 0) shown.push(paint(`… ${formatCount(hidden)} more lines (--tools full)`, "yellow"));
  return shown;
}
