/** Tool calls and results drawn for a terminal, short or in full. */

import type { Part, ResultPart } from "@continuo/core/transcript";
import {
  callHead,
  cutEnd,
  type Paint,
  resultHead,
  STATUS_LOOKS,
  shortenLines,
  widthOf,
  wrap,
} from "../../terminal/index.ts";
import type { View } from "./view.ts";

interface ToolPen {
  readonly view: View;
  readonly columns: number;
  readonly paint: Paint;
  readonly lastCallId: string | null;
}

const SHORT_RESULT_LINES = 12;
const RESULT_INDENT = "  ";

export function drawCall(call: Extract<Part, { type: "call" }>, pen: ToolPen): string[] {
  const { paint, columns } = pen;
  const name = cutEnd(call.name, Math.max(8, columns - 4));
  const child =
    call.childSessionId === null ? [] : [paint(cutEnd(`  sub-agent ${call.childSessionId}`, columns), "dim")];
  if (pen.view.tools === "full") {
    const input = wrap([{ text: call.input }], columns - 2, paint).map((line) => RESULT_INDENT + line);
    return [callHead(name, paint), ...input, ...child];
  }
  const room = columns - widthOf(name) - 4;
  const argument = call.argument === null ? "" : `  ${cutEnd(call.argument, Math.max(0, room))}`;
  return [`${callHead(name, paint)}${argument}`, ...child];
}

export function drawResult(result: ResultPart, pen: ToolPen): string[] {
  const { paint, columns } = pen;
  const { status } = result;
  // A successful call needs no word.
  const word = status === "ok" ? "" : STATUS_LOOKS[status].text;
  const isNamed = result.toolCallId !== pen.lastCallId;
  const lines: string[] = [];
  if (isNamed || word !== "") {
    const name = isNamed ? cutEnd(result.name ?? "result", Math.max(8, columns - 20)) : "";
    lines.push(`${paint("◂", "blue")} ${resultHead(name, word, { status, paint })}`);
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
  const { shown, more } = shortenLines(text.split("\n"), SHORT_RESULT_LINES);
  const drawn = shown.map((line) => paint(cutEnd(line.replaceAll("\t", "    "), columns), "dim"));
  return more === null ? drawn : [...drawn, paint(`${more} (--tools full)`, "yellow")];
}
