/** Block tokens as lines. */

import { isTooLongForMarkdown } from "@continuo/core/transcript";
import { lexer, type MarkedToken, type Token, type Tokens } from "marked";
import { layOut, type Paint, type Span, widthOf, wrap } from "../terminal/index.ts";
import { toSpans } from "./inline.ts";

interface DrawOptions {
  readonly columns: number;
  readonly paint: Paint;
}

const MIN_COLUMNS = 10;

export function drawMarkdown(text: string, drawing: DrawOptions): string[] {
  const plain = (): string[] => wrap([{ text: text.trimEnd() }], drawing.columns, drawing.paint);
  if (isTooLongForMarkdown(text) || !mayHaveMarkup(text)) return plain();
  try {
    return drawBlocks(lexer(text), drawing);
  } catch (error) {
    // The text is nested deeper than the lexer can read.
    if (error instanceof RangeError) return plain();
    throw error;
  }
}

/**
 * False if the text has no Markdown syntax, so that it need not be parsed: most messages have only a sentence or two.
 */
function mayHaveMarkup(text: string): boolean {
  return /[`*_#>|[\]~\\]|^\s*[-+=\d]|https?:| {2}\n/mu.test(text);
}

function drawBlocks(tokens: readonly Token[], drawing: DrawOptions): string[] {
  const lines: string[] = [];
  let isSeparated = true;
  for (const token of tokens as readonly MarkedToken[]) {
    if (token.type === "space") continue;
    const drawn = drawBlock(token, drawing);
    // A token `text` is in a tight list item: no empty line comes between it and the next token.
    if (!isSeparated) lines.push("");
    for (const line of drawn) lines.push(line);
    isSeparated = token.type === "text";
  }
  return lines;
}

function drawBlock(token: MarkedToken, drawing: DrawOptions): string[] {
  const { columns, paint } = drawing;
  switch (token.type) {
    case "heading":
      return wrap(
        [{ text: `${"#".repeat(token.depth)} `, styles: ["bold"] }, ...toSpans(token.tokens, ["bold"])],
        columns,
        paint,
      );
    case "paragraph":
      return wrap(toSpans(token.tokens), columns, paint);
    case "text":
      return wrap(toSpans([token]), columns, paint);
    case "code":
      return indent(wrap([{ text: token.text, styles: ["cyan"] }], room(columns, 2), paint), "  ");
    case "blockquote":
      return indent(drawBlocks(token.tokens, { paint, columns: room(columns, 2) }), `${paint("│", "dim")} `);
    case "list":
      return drawList(token, drawing);
    case "table":
      return drawTable(token, drawing);
    case "hr":
      return [paint("─".repeat(Math.min(columns, 40)), "dim")];
    default:
      return wrap([{ text: token.raw.trimEnd() }], columns, paint);
  }
}

function drawList(list: Tokens.List, { columns, paint }: DrawOptions): string[] {
  const start = typeof list.start === "number" ? list.start : 1;
  return list.items.flatMap((item, at) => {
    const box = item.tokens[0]?.type === "checkbox" ? (item.checked ? "[x] " : "[ ] ") : "";
    const mark = `${list.ordered ? `${start + at}.` : "•"} ${box}`;
    const lines = drawBlocks(box === "" ? item.tokens : item.tokens.slice(1), {
      paint,
      columns: room(columns, mark.length),
    });
    const [first = "", ...rest] = lines;
    const gap = list.loose && at > 0 ? [""] : [];
    return [...gap, mark + first, ...indent(rest, " ".repeat(mark.length))];
  });
}

/** Draws columns if they fit, otherwise the source, so that no cell is cut. */
function drawTable(table: Tokens.Table, { columns, paint }: DrawOptions): string[] {
  const textOf = (cell: Tokens.TableCell): string => toText(toSpans(cell.tokens));
  const rows = table.rows.map((row) => row.map(textOf));
  const { cells } = layOut(
    table.header.map((cell) => ({ header: textOf(cell), align: cell.align === "right" ? "right" : "left" })),
    rows,
    { emptyColumns: "keep" },
  );
  const isFitting = cells.every(
    (row) => widthOf(row.join("  ")) <= columns && !row.some((cell) => cell.includes("\n")),
  );
  if (!isFitting) return wrap([{ text: table.raw.trimEnd() }], columns, paint);
  return cells.map((row, at) =>
    at === 0 ? paint(row.join("  ").trimEnd(), "bold") : row.join("  ").trimEnd(),
  );
}

function toText(spans: readonly Span[]): string {
  return spans.map((span) => span.text).join("");
}

function indent(lines: readonly string[], prefix: string): string[] {
  return lines.map((line) => (line === "" && prefix.trim() === "" ? "" : prefix + line));
}

function room(columns: number, taken: number): number {
  return Math.max(MIN_COLUMNS, columns - taken);
}
