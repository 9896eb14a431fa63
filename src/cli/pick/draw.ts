/** Draws the screen as lines, one for each row. No line is wider than the terminal. Pure. */

import { visibleLine } from "@continuo/core/transcript";
import {
  cutEnd,
  cutStart,
  formatCount,
  type Paint,
  plural,
  projectName,
  relativeTime,
  shortAge,
  tildePath,
  widthOf,
  wrap,
} from "../terminal/index.ts";
import { LIST_KEYS, menuOf } from "./actions.ts";
import type { PickEntry } from "./filter.ts";
import { entryOf, ownTargets, type PickState, type ReturnPlan, searchedFor, targetsOf } from "./state.ts";

export interface DrawOptions {
  readonly columns: number;
  readonly rows: number;
  readonly paint: Paint;
  readonly now: Date;
  readonly home: string;
  /** Painted lines of the chosen session, no wider than the preview. */
  readonly preview: readonly string[];
}

/** Below this width, the preview is below the list. */
const MIN_SPLIT_COLUMNS = 100;
/** If the preview would be below the list, a screen with fewer rows shows only the list. */
const MIN_STACK_ROWS = 14;
const AGENT_COLUMNS = 8;
const AGE_COLUMNS = 4;
const MAX_BOTTOM_ROWS = 3;

export interface Layout {
  readonly listColumns: number;
  readonly listRows: number;
  /** 0 means no preview. */
  readonly previewColumns: number;
  readonly previewRows: number;
  /** The preview is below the list, with one row of facts between. */
  readonly isStacked: boolean;
}

/** The rows between the filter and the keys. */
export function layOutScreen(
  columns: number,
  rows: number,
  preview: PickState["preview"] = "conversation",
): Layout {
  const body = Math.max(0, rows - 2);
  if (columns >= MIN_SPLIT_COLUMNS) {
    const listColumns = Math.min(90, Math.floor(columns * 0.52));
    const previewColumns = columns - listColumns - 3;
    return { listColumns, listRows: body, previewColumns, previewRows: body, isStacked: false };
  }
  if (rows < MIN_STACK_ROWS) {
    return { listColumns: columns, listRows: body, previewColumns: 0, previewRows: 0, isStacked: false };
  }
  const previewRows = Math.floor(body * (preview === "facts" ? 0.7 : 0.36));
  const listRows = body - previewRows - 1;
  return { listColumns: columns, listRows, previewColumns: columns, previewRows, isStacked: true };
}

export function drawScreen(state: PickState, drawing: DrawOptions): string[] {
  const { rows } = drawing;
  const bottom = drawBottom(state, drawing);
  const body = drawMiddle(state, drawing);
  const bodyRows = Math.max(0, rows - 1 - bottom.length);
  const filled = [...body, ...Array.from({ length: Math.max(0, bodyRows - body.length) }, () => "")];
  const lines = [drawFilter(state, drawing), ...filled.slice(0, bodyRows), ...bottom];
  // A terminal of one row shows only the filter.
  return lines.slice(0, Math.max(1, rows));
}

function drawMiddle(state: PickState, drawing: DrawOptions): string[] {
  switch (state.overlay?.type) {
    case "help":
      return drawHelp(drawing);
    case "plan":
      return drawPlan(state.overlay.plan, drawing);
    default:
      return drawBody(state, drawing);
  }
}

/** The place where typed text appears, 1-based; `null` while letters are actions. */
export function cursorOf(
  state: PickState,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): { readonly row: number; readonly column: number } | null {
  if (state.overlay?.type === "title") {
    const column = Math.min(columns, widthOf(titleText(state.overlay.text, columns)) + 1);
    return { row: rows, column };
  }
  if (state.overlay !== null || state.focus === "list") return null;
  return { row: 1, column: Math.min(columns, widthOf(filterText(state, columns)) + 1) };
}

function filterText(state: PickState, columns: number): string {
  const { purpose, query } = state;
  const prompt = purpose.type === "choose" ? `${purpose.verb} > ` : "> ";
  return `${prompt}${cutStart(visibleLine(query), Math.max(1, columns - prompt.length - widthOf(countsOf(state)) - 2))}`;
}

/** The filters, and the numbers of selected, shown and all sessions. */
function countsOf({ agent, folder, marked, shown, all, isWhole }: PickState): string {
  return [
    ...(agent === null ? [] : [visibleLine(agent)]),
    ...(folder === null ? [] : ["here"]),
    ...(marked.size === 0 ? [] : [`${formatCount(marked.size)} selected`]),
    `${formatCount(shown.length)} of ${formatCount(all.length)}${isWhole ? "" : "+"}`,
  ].join(" · ");
}

function drawFilter(state: PickState, { columns, paint }: DrawOptions): string {
  const left = filterText(state, columns);
  const count = countsOf(state);
  const gap = columns - widthOf(left) - widthOf(count);
  if (gap < 1) return cutEnd(left, columns);
  return `${left}${" ".repeat(gap)}${paint(count, "dim")}`;
}

function drawBody(state: PickState, drawing: DrawOptions): string[] {
  const { columns, rows, paint, preview } = drawing;
  const layout = layOutScreen(columns, rows, state.preview);
  const top = topOf(state, layout.listRows);
  const list = Array.from({ length: layout.listRows }, (_, row) =>
    drawRow(state, top + row, drawing, layout),
  );
  if (layout.previewColumns === 0) return list;
  if (layout.isStacked) {
    return [...list, drawRule(entryOf(state), drawing), ...preview.slice(0, layout.previewRows)];
  }
  return list.map((left, row) => {
    const padding = " ".repeat(Math.max(0, layout.listColumns - widthOf(unstyled(left))));
    return `${left}${padding} ${paint("│", "dim")} ${preview[row] ?? ""}`;
  });
}

/** The chosen row is near the middle, except at the ends of the list. */
function topOf({ selected, shown }: PickState, rows: number): number {
  return Math.max(0, Math.min(selected - Math.floor(rows / 2), shown.length - rows));
}

function drawRow(state: PickState, at: number, drawing: DrawOptions, { listColumns }: Layout): string {
  const entry = state.shown[at];
  if (entry === undefined) return at === 0 ? cutEnd(emptyRow(state), listColumns) : "";
  const isChosen = at === state.selected;
  const isMarked = state.marked.has(entry.info.location);
  const plain = (text: string): string => text;
  const mark = isMarked ? "*" : state.hidden.has(entry.info.location) ? "!" : " ";
  const text = rowText(entry, mark, { ...drawing, paint: isChosen ? plain : drawing.paint }, listColumns);
  if (!isChosen) return text;
  return `\u001b[7m${text}${" ".repeat(Math.max(0, listColumns - widthOf(text)))}\u001b[27m`;
}

function emptyRow(state: PickState): string {
  const searched = searchedFor(state);
  if (searched !== null && searched !== "" && state.found?.text !== searched) return "  searching …";
  if (searched !== null) return "  no turn contains all these words";
  return state.query === "" ? "  no session" : "  no session contains all these words";
}

/** The project is left out last, because it distinguishes two sessions with the same title. */
function rowText(
  { info }: PickEntry,
  mark: "*" | "!" | " ",
  { now, home, paint }: DrawOptions,
  columns: number,
): string {
  const title = visibleLine(info.title ?? (info.cwd === null ? info.sessionId : tildePath(info.cwd, home)));
  const project = info.cwd === null ? "" : visibleLine(projectName(info.cwd, home));
  const projectColumns = columns >= 70 ? 16 : columns >= 45 ? 12 : 8;
  const hasAgent = columns >= 40;
  const taken = 1 + (hasAgent ? AGENT_COLUMNS + 1 : 0) + 1 + projectColumns + 1 + AGE_COLUMNS;
  if (columns - taken < 6) return cutEnd(`${mark}${title}`, columns);
  const agent = hasAgent ? `${paint(padEnd(visibleLine(info.agent), AGENT_COLUMNS), "cyan")} ` : "";
  const age = shortAge(info.updatedAt, now).padStart(AGE_COLUMNS);
  return [
    `${mark === " " ? mark : paint(mark, "yellow", "bold")}${agent}${padEnd(title, columns - taken)}`,
    paint(padStartCut(project, projectColumns), "blue"),
    paint(age, "green"),
  ].join(" ");
}

function padEnd(text: string, columns: number): string {
  const cut = cutEnd(text, columns);
  return `${cut}${" ".repeat(Math.max(0, columns - widthOf(cut)))}`;
}

/** The end of a folder's name is more specific than its beginning. */
function padStartCut(text: string, columns: number): string {
  const cut = cutStart(text, columns);
  return `${cut}${" ".repeat(Math.max(0, columns - widthOf(cut)))}`;
}

/** The line between the list and the preview below it has facts for which the row has no room. */
function drawRule(entry: PickEntry | null, { columns, paint, now, home }: DrawOptions): string {
  if (entry === null) return paint("─".repeat(columns), "dim");
  const { cwd, gitBranch, updatedAt, sessionId } = entry.info;
  const facts = [
    cwd === null ? "no folder" : tildePath(cwd, home),
    ...(gitBranch === null ? [] : [gitBranch]),
    relativeTime(updatedAt, now),
    sessionId,
  ].filter((fact) => fact !== "");
  const text = cutEnd(`── ${facts.map(visibleLine).join(" · ")} `, columns);
  return paint(`${text}${"─".repeat(Math.max(0, columns - widthOf(text)))}`, "dim");
}

const QUERY_HELP = [
  "In the filter, words may be in any order, and letters may be missing. agent:, project:, branch: and title: look at",
  "only one of these. After /, type the words of `continuo search`.",
].join(" ");

function drawHelp({ columns, rows, paint }: DrawOptions): string[] {
  const keys = LIST_KEYS.map(
    ({ key, help }) => `${paint(key.padStart(6), "bold")}  ${cutEnd(help, Math.max(1, columns - 8))}`,
  );
  const about = wrap([{ text: QUERY_HELP, styles: ["dim"] }], columns, paint);
  const room = rows - 2 - keys.length;
  return room > about.length ? [...keys, "", ...about] : room >= about.length ? [...keys, ...about] : keys;
}

function drawPlan({ lines }: ReturnPlan, { columns, paint }: DrawOptions): string[] {
  return lines.flatMap((line) => wrap([{ text: visibleLine(line) }], columns, paint));
}

function drawBottom(state: PickState, { columns, paint }: DrawOptions): string[] {
  const { overlay, message } = state;
  if (overlay?.type === "title") return [titleText(overlay.text, columns)];
  if (overlay?.type === "menu") return wrapped(menuText(state, overlay.name), columns, paint, "yellow");
  if (overlay?.type === "plan") return wrapped(planQuestion(overlay.plan), columns, paint, "yellow");
  if (overlay?.type === "help") return [paint(cutEnd("any key goes back to the list", columns), "dim")];
  if (message !== null) return wrapped(message, columns, paint, "green");
  return [paint(cutEnd(keysText(state, columns), columns), "dim")];
}

function wrapped(text: string, columns: number, paint: Paint, style: "green" | "yellow"): string[] {
  const lines = wrap([{ text: visibleLine(text), styles: [style] }], columns, paint);
  return lines.slice(0, MAX_BOTTOM_ROWS).map((line) => line.replaceAll(UNBROKEN, " "));
}

function titleText(text: string, columns: number): string {
  const prompt = "title: ";
  return `${prompt}${cutStart(visibleLine(text), Math.max(1, columns - prompt.length - 1))}`;
}

/** A space at which no line is broken, between a key and what it does. */
const UNBROKEN = "\u00a0";

function planQuestion({ entries }: ReturnPlan): string {
  if (entries.length === 0) return "nothing of this can be done here; any key goes back to the list";
  const what = entries.length === 1 ? "this session" : plural(entries.length, "session");
  return `bring ${what} back? u takes it back. y${UNBROKEN}yes · Esc${UNBROKEN}back`;
}

function menuText(state: PickState, name: Parameters<typeof menuOf>[0]): string {
  const targets = targetsOf(state);
  const what = targets.length === 1 ? "this session" : plural(targets.length, "session");
  const { question, items } = menuOf(name, what, ownTargets(state));
  return [
    `${question} ${items.map(({ key, label }) => `${key}${UNBROKEN}${label}`).join(" · ")}`,
    `Esc${UNBROKEN}back`,
  ].join(" · ");
}

/** The keys for which there is room; the key that shows all others is always there. */
function keysText({ focus, purpose, query }: PickState, columns: number): string {
  const isBrowsing = purpose.type === "browse";
  const enter = isBrowsing ? "Enter open" : "Enter choose";
  const help = focus === "filter" && query !== "" ? "F1 keys" : "? keys";
  const keys =
    focus === "filter"
      ? [enter, isBrowsing ? "Tab actions" : "Tab list", "/ texts", "Esc leave", "type to filter"]
      : isBrowsing
        ? LIST_KEYS.map(({ key, label }) => `${key} ${label}`)
        : [enter, ...(purpose.many ? ["Space select"] : []), "/ texts", "a agent", ". here", "q leave"];
  let text = "";
  for (const key of keys) {
    const longer = text === "" ? key : `${text} · ${key}`;
    if (widthOf(longer) + help.length + 3 > columns) break;
    text = longer;
  }
  return text === "" ? help : `${text} · ${help}`;
}

function unstyled(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what `paint` writes
  return line.replace(/\u001b\[[\d;]*m/gu, "");
}
