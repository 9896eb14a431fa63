/** The complete request: a person can see everything before allowing it. Pure. */

import type { PermissionRequest } from "@continuo/core/model";
import { changesOf, visibleLine, visibleText } from "@continuo/core/transcript";
import { widthOf, wrap } from "../../terminal/index.ts";
import { drawCallLine, numberedLines, type Pen } from "./calls.ts";
import { DRAWING_LIMITS } from "./limits.ts";

export interface RequestView {
  /** Shown with the question. */
  readonly shown: readonly string[];
  /** Shown when the person asks for them, before an answer counts. */
  readonly hidden: readonly string[];
}

type RequestFields = Pick<PermissionRequest, "title" | "toolName" | "toolInput" | "content">;

const MAY_HAVE_RUN = "allowed before, in a turn that was cut off: it may already have run";

/** Empty if the line of the call shows everything. */
export function drawRequest(request: PermissionRequest, pen: Pen): RequestView {
  const { shown, hidden } = drawCompleteRequest(request, pen);
  const { columns, paint } = pen;
  if (request.grantedBefore === undefined) return { shown, hidden };
  const lines = wrap([{ text: MAY_HAVE_RUN, styles: ["yellow"] }], Math.max(8, columns - 4), paint);
  return { shown: [...lines.map((line) => `  ${line}`), ...shown], hidden };
}

function drawCompleteRequest(request: PermissionRequest, pen: Pen): RequestView {
  const changes = drawAllChanges(request, pen);
  // The diff is shown above the question, unless it was cut.
  if (changes !== null) return { shown: [], hidden: changes };
  const lines = linesOfRequest(request);
  if (isSaidByCall(request, lines, pen)) return { shown: [], hidden: [] };
  const drawn = lines.flatMap((line) => drawLine(line, pen));
  return {
    shown: drawn.slice(0, DRAWING_LIMITS.requestLines),
    hidden: drawn.slice(DRAWING_LIMITS.requestLines),
  };
}

/**
 * The whole diff if it was cut, or nothing if all of it is on the screen. `null` if the call changes no file, or if its
 * input is too large for a whole diff.
 */
function drawAllChanges({ toolInput, content }: PermissionRequest, pen: Pen): readonly string[] | null {
  const changes = changesOf(toolInput, content, pen.fileText);
  // The diff of a larger input is cut, so its fields are shown instead.
  const isCut = JSON.stringify([toolInput, content]).length > DRAWING_LIMITS.shownChars;
  if (changes.length === 0 || isCut) return null;
  const lines = changes.flatMap(({ path, lines: changed }) => [
    ...(changes.length > 1 ? [path ?? "?"] : []),
    ...numberedLines(changed),
  ]);
  const isWhole =
    lines.length <= DRAWING_LIMITS.askedChangeLines && lines.every((line) => widthOf(line) < pen.columns - 2);
  return isWhole ? [] : lines.flatMap((line) => drawLine(line, pen));
}

/** The title, then each field of the input with all of its lines. */
export function linesOfRequest({
  title,
  toolName = title,
  toolInput,
  content,
}: RequestFields): readonly string[] {
  const isNamed = title === toolName && (title?.length ?? 0) <= MAX_NAME_CHARS;
  const heading = title === undefined || isNamed ? [] : [visibleLine(title)];
  return [...heading, ...linesOfInput(toolInput), ...(content === undefined ? [] : toJsonLines(content))];
}

/** The question itself names the call; a longer name is cut there. */
const MAX_NAME_CHARS = 20;

function linesOfInput(input: unknown): readonly string[] {
  if (input === undefined || input === null) return [];
  if (typeof input !== "object") return visibleText(String(input)).split("\n");
  if (Array.isArray(input)) return toJsonLines(input);
  return Object.entries(input).flatMap(([key, value]) => {
    const name = visibleLine(key);
    if (typeof value !== "string") return withName(name, toJsonLines(value));
    return withName(name, visibleText(value).split("\n"));
  });
}

function withName(name: string, [first = "", ...more]: readonly string[]): readonly string[] {
  if (more.length === 0) return [`${name}: ${first}`];
  return [`${name}:`, `  ${first}`, ...more.map((line) => `  ${line}`)];
}

function toJsonLines(value: unknown): readonly string[] {
  return visibleText(JSON.stringify(value, null, 2) ?? "").split("\n");
}

function drawLine(line: string, { columns, paint }: Pen): readonly string[] {
  const text = line.replaceAll("\t", "    ");
  if (text === "") return [""];
  return wrap([{ text, styles: ["dim"] }], Math.max(8, columns - 4), paint).map((part) => `  ${part}`);
}

/** A short command or path that is the only argument is shown whole in the line of its call. */
function isSaidByCall(request: PermissionRequest, lines: readonly string[], pen: Pen): boolean {
  const [only = "", ...more] = lines.filter((line) => line !== "");
  if (more.length > 0) return false;
  const value = only.replace(/^[^:]*: /u, "");
  const plain = drawCallLine(
    { toolCallId: "", toolName: request.toolName ?? request.title ?? "", toolInput: request.toolInput },
    { ...pen, paint: (text) => text },
  );
  return only === "" || plain.endsWith(value);
}
