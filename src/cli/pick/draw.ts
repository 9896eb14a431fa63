/** The screen as lines, one a row, none wider than the terminal. Pure. */

import { visibleLine } from "@continuo/core/transcript";
import { cutEnd, cutStart, type Paint, relativeTime, tildePath, widthOf } from "../terminal/index.ts";
import type { PickEntry } from "./filter.ts";
import { type PickState, searchedFor } from "./state.ts";

export interface Drawing {
  readonly columns: number;
  readonly rows: number;
  readonly paint: Paint;
  readonly now: Date;
  readonly home: string;
  /** Painted lines of the chosen session, no wider than `previewColumns`. */
  readonly preview: readonly string[];
}

/** Narrower terminals show only the list. */
const MIN_SPLIT_COLUMNS = 60;
const AGENT_COLUMNS = 9;
const TIME_COLUMNS = 10;

export interface Layout {
  readonly listColumns: number;
  /** 0: no preview. */
  readonly previewColumns: number;
  /** Between the line of the filter and the one of the keys. */
  readonly bodyRows: number;
}

export function layOutScreen(columns: number, rows: number): Layout {
  const bodyRows = Math.max(0, rows - 2);
  if (columns < MIN_SPLIT_COLUMNS) return { listColumns: columns, previewColumns: 0, bodyRows };
  const listColumns = Math.min(72, Math.floor(columns * 0.48));
  return { listColumns, previewColumns: columns - listColumns - 3, bodyRows };
}

export function drawScreen(state: PickState, drawing: Drawing): string[] {
  const { columns, rows, paint } = drawing;
  const layout = layOutScreen(columns, rows);
  const body = drawBody(state, drawing, layout);
  const lines = [drawFilter(state, drawing), ...body, drawKeys(state, columns, paint)];
  // On a terminal of one or two rows the filter stays.
  return lines.slice(0, Math.max(1, rows));
}

/** Returns the cursor's column while the filter is typed: 1-based, in the first row. */
export function cursorColumn(state: PickState, columns: number): number {
  return Math.min(columns, widthOf(filterText(state, columns)) + 1);
}

function filterText(state: PickState, columns: number): string {
  return `> ${cutStart(visibleLine(state.query), Math.max(1, columns - 22))}`;
}

function drawFilter(state: PickState, { columns, paint }: Drawing): string {
  const left = filterText(state, columns);
  const count = `${state.shown.length} of ${state.all.length}`;
  const gap = columns - widthOf(left) - count.length;
  if (gap < 1) return cutEnd(left, columns);
  return `${left}${" ".repeat(gap)}${paint(count, "dim")}`;
}

function drawBody(state: PickState, drawing: Drawing, layout: Layout): string[] {
  const { paint, preview } = drawing;
  const top = topOf(state, layout.bodyRows);
  return Array.from({ length: layout.bodyRows }, (_, row) => {
    const entry = state.shown[top + row];
    const isChosen = top + row === state.selected;
    const text =
      entry === undefined
        ? cutEnd(emptyRow(state, row), layout.listColumns)
        : rowText(entry, drawing, layout.listColumns);
    const padded = text + " ".repeat(Math.max(0, layout.listColumns - widthOf(text)));
    const left = isChosen && entry !== undefined ? `\u001b[7m${padded}\u001b[27m` : padded;
    if (layout.previewColumns === 0) return left.trimEnd();
    return `${left} ${paint("│", "dim")} ${preview[row] ?? ""}`;
  });
}

/** The chosen row is about in the middle, but for the ends of the list. */
function topOf({ selected, shown }: PickState, rows: number): number {
  return Math.max(0, Math.min(selected - Math.floor(rows / 2), shown.length - rows));
}

function emptyRow(state: PickState, row: number): string {
  if (row !== 0 || state.shown.length > 0) return "";
  const searched = searchedFor(state);
  if (searched !== null && state.found?.text !== searched) return "  searching …";
  return searched === null ? "  no session contains all these words" : "  no turn contains all these words";
}

function rowText({ info }: PickEntry, { now, home }: Drawing, columns: number): string {
  const agent = info.agent.padEnd(AGENT_COLUMNS);
  const time = relativeTime(info.updatedAt, now).padStart(TIME_COLUMNS);
  const room = columns - AGENT_COLUMNS - TIME_COLUMNS - 2;
  const title = visibleLine(info.title ?? (info.cwd === null ? info.sessionId : tildePath(info.cwd, home)));
  if (room < 8) return cutEnd(` ${title}`, columns);
  const cut = cutEnd(title, room);
  return ` ${agent}${cut}${" ".repeat(Math.max(0, room - widthOf(cut)))} ${time}`;
}

const KEYS: Readonly<Record<PickState["focus"], string>> = {
  filter: "type to filter · / search texts · ↑↓ choose · Enter show · Tab list · Esc leave",
  list: "Enter show · r resume · e export · c copy id · / filter · q leave",
  format: "export as: m Markdown · h HTML · j JSON · l JSON Lines · Esc back",
};

function drawKeys({ focus, message }: PickState, columns: number, paint: Paint): string {
  if (message !== null) return paint(cutEnd(visibleLine(message), columns), "green");
  return paint(cutEnd(KEYS[focus], columns), "dim");
}
