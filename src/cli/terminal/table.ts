/** Columns of text, fitted to a width. Cells are one line of visible text. */

import { cutEnd, cutStart, widthOf } from "./width.ts";

export interface Column {
  readonly header: string;
  readonly align: "left" | "right";
  /** Cut to no less than this while other columns can give way; left out: never cut. */
  readonly ideal?: number;
  /** May become as narrow as this when all are ideal; left out: no narrower than ideal. */
  readonly min?: number;
  /** Which side of a cell is cut; `end` when left out. */
  readonly cut?: "start" | "end";
}

export interface Table {
  /** The header first, then the rows; each cell padded to its column. */
  readonly cells: readonly (readonly string[])[];
  /** Which of the given columns were kept. */
  readonly columns: readonly number[];
}

/** Columns between columns, which the caller puts there. */
const GAP = 2;

/**
 * With `columns`, cells are cut until all fit, the widest column first, to `ideal`
 * and then to `min`. A column without text
 * is left out unless they are kept.
 */
export function layOut(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  options: { readonly columns?: number; readonly emptyColumns?: "keep" | "drop" } = {},
): Table {
  const kept = columns
    .map((column, at) => ({ column, at }))
    .filter(({ at }) => options.emptyColumns === "keep" || rows.some((row) => (row[at] ?? "") !== ""));
  const widths = kept.map(({ column, at }) =>
    Math.max(widthOf(column.header), ...rows.map((row) => widthOf(row[at] ?? ""))),
  );
  if (options.columns !== undefined)
    shrink(
      widths,
      kept.map(({ column }) => column),
      options.columns,
    );
  const table = [columns.map((column) => column.header), ...rows];
  const cells = table.map((row) =>
    kept.map(({ column, at }, index) => {
      const width = widths[index] ?? 0;
      const cell = (column.cut === "start" ? cutStart : cutEnd)(row[at] ?? "", width);
      return pad(cell, width, index === kept.length - 1 && column.align === "left" ? "none" : column.align);
    }),
  );
  return { cells, columns: kept.map(({ at }) => at) };
}

function shrink(widths: number[], columns: readonly Column[], room: number): void {
  shrinkTo(
    widths,
    columns.map(({ ideal }) => ideal),
    room,
  );
  shrinkTo(
    widths,
    columns.map(({ ideal, min }) => min ?? ideal),
    room,
  );
}

function shrinkTo(widths: number[], limits: readonly (number | undefined)[], room: number): void {
  const total = (): number => widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1));
  while (total() > room) {
    let widest = -1;
    for (const [index, limit] of limits.entries()) {
      const width = widths[index] ?? 0;
      if (limit === undefined || width <= limit) continue;
      if (widest === -1 || width > (widths[widest] ?? 0)) widest = index;
    }
    if (widest === -1) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}

function pad(text: string, width: number, side: Column["align"] | "none"): string {
  if (side === "none") return text;
  const space = " ".repeat(Math.max(0, width - widthOf(text)));
  return side === "left" ? text + space : space + text;
}
