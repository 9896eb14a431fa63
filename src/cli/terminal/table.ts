/** Fits columns of text to a width. A cell is one line of visible text. */

import { cutEnd, cutStart, widthOf } from "./width.ts";

export interface Column {
  readonly header: string;
  readonly align: "left" | "right";
  /** The column is not cut below this width while other columns can be cut; without it, it is never cut. */
  readonly ideal?: number;
  /** The column can be cut to this width after all columns were cut to their ideal widths; `ideal` by default. */
  readonly min?: number;
  /** The side of a cell that is cut; `end` by default. */
  readonly cut?: "start" | "end";
  /** Other columns are cut, and then left out, until this column has this width, if it needs it. */
  readonly wants?: number;
  /** If there is no room, the column of lowest rank is left out first. A column without a rank is never left out. */
  readonly rank?: number;
  /** True if the column is left out only if the table is too wide, and not because of another column's `wants`. */
  readonly isFirm?: true;
}

export interface Table {
  /** The header and then the rows. Each cell is padded to the width of its column. */
  readonly cells: readonly (readonly string[])[];
  /** The indexes of the columns that were kept. */
  readonly columns: readonly number[];
}

/** The spaces between two columns, which the caller adds. */
const GAP = 2;
/** The widest padding if nothing is cut: a single long cell then does not move the next cells of all other rows. */
const MAX_PADDED = 48;

/**
 * Lays out a table. If `columns` gives a width, cells are cut until the table fits, the widest column first: to
 * `ideal`, then to `wants`, then to `min`. Then columns with a rank are left out. Columns without text are left out
 * unless `emptyColumns` is `keep`.
 */
export function layOut(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  options: { readonly columns?: number; readonly emptyColumns?: "keep" | "drop" } = {},
): Table {
  const full = columns
    .map((column, at): KeptColumn => ({ column, at, width: widthOfColumn(column, at, rows) }))
    .filter(({ at }) => options.emptyColumns === "keep" || rows.some((row) => (row[at] ?? "") !== ""));
  const kept = options.columns === undefined ? full.map(padded) : fitted(full, options.columns);
  const table = [columns.map((column) => column.header), ...rows];
  const cells = table.map((row) =>
    kept.map(({ column, at, width }, index) => {
      const text = row[at] ?? "";
      const cell =
        options.columns === undefined ? text : (column.cut === "start" ? cutStart : cutEnd)(text, width);
      return pad(cell, width, index === kept.length - 1 && column.align === "left" ? "none" : column.align);
    }),
  );
  return { cells, columns: kept.map(({ at }) => at) };
}

interface KeptColumn {
  readonly column: Column;
  readonly at: number;
  readonly width: number;
}

function widthOfColumn({ header }: Column, at: number, rows: readonly (readonly string[])[]): number {
  return rows.reduce((width, row) => Math.max(width, widthOf(row[at] ?? "")), widthOf(header));
}

function padded(kept: KeptColumn): KeptColumn {
  return { ...kept, width: Math.min(kept.width, MAX_PADDED) };
}

/** Returns the columns that fit. */
function fitted(full: readonly KeptColumn[], room: number): readonly KeptColumn[] {
  const widths = full.map(({ width }) => width);
  shrink(
    widths,
    full.map(({ column }) => column),
    room,
  );
  const kept = full.map((one, index) => ({ ...one, width: widths[index] ?? 0 }));
  const isTooWide = kept.reduce((sum, { width }) => sum + width + GAP, -GAP) > room;
  const isTooShort = kept.some(
    ({ column, width }, index) => width < Math.min(column.wants ?? 0, full[index]?.width ?? 0),
  );
  const [first] = full
    .filter(({ column }) => column.rank !== undefined && (isTooWide || column.isFirm !== true))
    .sort(byRank);
  if ((!isTooWide && !isTooShort) || first === undefined) return kept;
  return fitted(
    full.filter((one) => one !== first),
    room,
  );
}

function byRank(a: KeptColumn, b: KeptColumn): number {
  return (a.column.rank ?? 0) - (b.column.rank ?? 0);
}

function shrink(widths: number[], columns: readonly Column[], room: number): void {
  shrinkTo(
    widths,
    columns.map(({ ideal }) => ideal),
    room,
  );
  shrinkTo(
    widths,
    columns.map(({ ideal, min, wants }) => wants ?? min ?? ideal),
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
