/** Calls of tools, their changes and their results, as short panels. */

import type { AgentEvent } from "@continuo/core/model";
import {
  type ChangedFile,
  changesOf,
  type DiffLine,
  type FileText,
  mainArgument,
  toParts,
  visibleLine,
  visibleText,
} from "@continuo/core/transcript";
import {
  callHead,
  cutEnd,
  type Paint,
  resultHead,
  STATUS_LOOKS,
  type Style,
  shortenLines,
  widthOf,
} from "../../terminal/index.ts";
import { DRAWING_LIMITS } from "./limits.ts";

export interface Call {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly toolInput?: unknown;
  readonly title?: string;
  readonly content?: unknown;
}

export interface Pen {
  readonly columns: number;
  readonly paint: Paint;
  /** Returns the text of a file, from which the numbers of the changed lines are computed. */
  readonly fileText?: FileText;
}

type Result = Extract<AgentEvent, { type: "tool_result" }>;

/** Draws one line: `▸ Edit  src/a.ts  +3 -1`. */
export function drawCallLine(call: Call, { columns, paint }: Pen): string {
  const name = cutEnd(visibleLine(call.toolName), Math.max(8, Math.floor(columns / 2)));
  const count = countOf(changesOf(call.toolInput, call.content));
  const room = columns - widthOf(name) - widthOf(count) - 6;
  const argument = argumentOf(call);
  // The names of some tools already contain the argument.
  const isTold = argument === null || name.includes(argument);
  const shown = isTold || room < 4 ? "" : `  ${cutEnd(argument, room)}`;
  const counted = count === "" ? "" : `  ${paint(count, "dim")}`;
  return `${callHead(name, paint)}${shown}${counted}`;
}

function argumentOf({ toolInput, title, toolName, content }: Call): string | null {
  const paths = new Set(changesOf(toolInput, content).map(({ path }) => path));
  const [path] = paths;
  if (paths.size === 1 && typeof path === "string") return path;
  if (paths.size > 1) return [...paths].join(", ");
  if (typeof toolInput === "string") return visibleLine(toolInput.trim());
  const isRecord = typeof toolInput === "object" && toolInput !== null && !Array.isArray(toolInput);
  const main = isRecord ? mainArgument(toolInput as Readonly<Record<string, unknown>>) : null;
  if (main !== null) return visibleLine(main.trim());
  return title === undefined || title === toolName ? null : visibleLine(title);
}

function countOf(changes: readonly ChangedFile[]): string {
  const lines = changes.flatMap((change) => change.lines);
  const added = lines.filter(({ sign }) => sign === "+").length;
  const removed = lines.filter(({ sign }) => sign === "-").length;
  return [added > 0 ? `+${added}` : "", removed > 0 ? `-${removed}` : ""].filter((part) => part).join(" ");
}

/** Draws the changes of a call, indented by two; nothing for a call without changes. */
export function drawChanges(call: Call, pen: Pen, maxLines: number = DRAWING_LIMITS.changeLines): string[] {
  const changes = changesOf(call.toolInput, call.content, pen.fileText);
  const all = changes.flatMap(({ path, lines }) => [
    ...(changes.length > 1 ? [pen.paint(cutEnd(`  ${path ?? "?"}`, pen.columns), "bold")] : []),
    ...numberedLines(lines).map((text, at) => drawDiffLine(text, lines[at]?.sign ?? " ", pen)),
  ]);
  return shorten(all, { maxLines, pen });
}

const SIGN_STYLES: Readonly<Record<DiffLine["sign"], readonly Style[]>> = {
  "-": ["red"],
  "+": ["green"],
  " ": ["dim"],
  "…": ["dim"],
};

/** `12 + text`: a removed line has its old number, every other line its new number. No number if it is unknown. */
export function numberedLines(lines: readonly DiffLine[]): readonly string[] {
  const numbers = lines.map(({ before, after }) => String(after ?? before ?? ""));
  const width = Math.max(0, ...numbers.map(({ length }) => length));
  return lines.map(({ sign, text }, at) => {
    const number = width === 0 ? "" : `${numbers[at]?.padStart(width)} `;
    return `${number}${sign} ${text.replaceAll("\t", "    ")}`.trimEnd();
  });
}

function drawDiffLine(text: string, sign: DiffLine["sign"], { columns, paint }: Pen): string {
  const line = cutEnd(text, Math.max(8, columns - 2));
  return `  ${paint(line, ...SIGN_STYLES[sign])}`;
}

export interface ResultView {
  readonly call: Call | null;
  /** True if the call is directly above. */
  readonly isBelow: boolean;
  /** True if the denial is already drawn. */
  readonly isSaid?: boolean;
}

export function drawResult(
  result: Result,
  { call, isBelow, isSaid = false }: ResultView,
  pen: Pen,
): string[] {
  const { paint, columns } = pen;
  const status = result.status in STATUS_LOOKS ? result.status : "error";
  // Directly below its call, a success needs no word.
  const word = (isBelow && status === "ok") || isSaid ? "" : STATUS_LOOKS[status].text;
  const lines: string[] = [];
  const name =
    isBelow || isSaid ? "" : cutEnd(visibleLine(result.toolName ?? call?.toolName ?? "result"), columns - 20);
  if (name !== "" || word !== "") {
    const head = resultHead(name, word, { status, paint });
    lines.push(isBelow ? `  ${head}` : `${paint("◂", "blue")} ${head}`);
  }
  // The changes were shown with the call; the status is enough here.
  if (result.status === "ok" && call !== null && changesOf(call.toolInput, call.content).length > 0)
    return lines;
  const said = textOf(result).trimEnd();
  if (said === "") return word === "" && isBelow && !isSaid ? [`  ${paint("(no output)", "dim")}`] : lines;
  const body = said
    .split("\n")
    .map((line) =>
      line === "" ? "" : `  ${paint(cutEnd(line.replaceAll("\t", "    "), columns - 2), "dim")}`,
    );
  return [...lines, ...shorten(body, { maxLines: DRAWING_LIMITS.resultLines, pen })];
}

function textOf({ content, toolCallId }: Result): string {
  if (typeof content === "string") return visibleText(content.slice(0, DRAWING_LIMITS.shownChars));
  const parts = toParts({ id: toolCallId, role: "tool", content, metadata: {} });
  return parts
    .map((part) =>
      part.type === "media" ? `[${part.label}]` : part.type === "call" ? part.input : part.text,
    )
    .join("\n")
    .slice(0, DRAWING_LIMITS.shownChars);
}

function shorten(
  lines: readonly string[],
  { maxLines, pen }: { readonly maxLines: number; readonly pen: Pen },
): string[] {
  const { shown, more } = shortenLines(lines, maxLines);
  return more === null ? [...shown] : [...shown, `  ${pen.paint(more, "dim")}`];
}
