/** The groups as a table and as a chart, both fitted to the terminal. */

import type { PriceList } from "@continuo/agents/catalog";
import { visibleLine } from "@continuo/core/transcript";
import {
  type Column,
  clockTime,
  formatCost,
  formatCount,
  layOut,
  paintFor,
  type Shell,
  type Span,
  screenOf,
  sentenceLines,
  tildePath,
} from "../terminal/index.ts";
import { leftOfBlock } from "./blocks.ts";
import type { Grouping } from "./flags.ts";
import type { Group, Tokens, UsageGroups } from "./groups.ts";

export interface DrawOptions {
  readonly by: Grouping;
  readonly list: PriceList;
  /** Titles of sessions, by `AGENT:ID`. */
  readonly titles: ReadonlyMap<string, string>;
  /** Groups that a limit leaves out. */
  readonly more: number;
  readonly shell: Shell;
}

export function drawTable(grouped: UsageGroups, drawing: DrawOptions): string {
  const { groups, total } = grouped;
  if (groups.length === 0) return "Nothing to count.\n";
  const screen = screenOf(drawing.shell, drawing.shell.stdout);
  const paint = paintFor(screen);
  const rows = [
    ...groups.map((group) => toRow(nameOf(group, drawing), group)),
    ...(groups.length + drawing.more > 1 ? [toRow("total", total)] : []),
  ];
  const columns = columnsFor(drawing.by, total.tokens);
  const { cells } = layOut(columns, rows, screen.isTerminal ? { columns: screen.columns } : {});
  const last = rows.length > groups.length ? cells.length - 1 : -1;
  const lines = cells.map((row, at) => {
    const text = row.join("  ").trimEnd();
    return at === 0 ? paint(text, "dim") : at === last ? paint(text, "bold") : text;
  });
  return [...lines, ...notesOf(total, drawing)].map((line) => `${line}\n`).join("");
}

const TOKEN_COLUMNS: readonly (readonly [header: string, kind: keyof Tokens])[] = [
  ["input", "input"],
  ["output", "output"],
  ["cache read", "cacheRead"],
  ["cache write", "cacheWrite"],
];

/** If there is no room, the kinds of tokens with the smallest sums are left out first. */
function columnsFor(by: Grouping, total: Tokens): readonly Column[] {
  const number = { align: "right" } as const;
  const bySize = TOKEN_COLUMNS.map(([, kind]) => kind).sort((a, b) => total[a] - total[b]);
  const turnsRank = bySize.length - 1;
  const rankOf = (kind: keyof Tokens): number => {
    const at = bySize.indexOf(kind);
    return at < turnsRank ? at : at + 1;
  };
  return [
    { header: by, align: "left", ideal: 40, min: 10, ...(by === "project" ? { cut: "start" as const } : {}) },
    { header: "sessions", ...number, rank: turnsRank + 2 },
    { header: "turns", ...number, rank: turnsRank },
    ...TOKEN_COLUMNS.map(([header, kind]) => ({ header, ...number, rank: rankOf(kind) })),
    { header: "cost", ...number },
  ];
}

function toRow(name: string, { sessions, turns, tokens, cost }: Group): string[] {
  const counts = [sessions, turns, ...TOKEN_COLUMNS.map(([, kind]) => tokens[kind])];
  return [name, ...counts.map(formatCount), formatCost(cost)];
}

function nameOf({ key }: Group, { by, titles, shell }: DrawOptions): string {
  if (key === null) return "unknown";
  switch (by) {
    case "project":
      return visibleLine(tildePath(key, shell.home));
    case "session":
      return visibleLine(titles.get(key) ?? key);
    case "block": {
      const left = leftOfBlock(key, shell.now);
      return `${clockTime(`${key}:00:00.000Z`)}${left === null ? "" : `, ${drawTime(left)} left`}`;
    }
    default:
      return visibleLine(key);
  }
}

const MINUTE_MS = 60_000;

/** `2h 5m`. */
export function drawTime(ms: number): string {
  const minutes = Math.ceil(ms / MINUTE_MS);
  return minutes < 60 ? `${minutes}m` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

function notesOf({ cost }: Group, { list, more, shell }: DrawOptions): string[] {
  const named = cost.unpriced.map((model) => visibleLine(model ?? "calls without a model"));
  const isRead = screenOf(shell, shell.stdout).isTerminal;
  const notes: readonly (Span | null)[] = [
    more > 0 && isRead
      ? { text: `${formatCount(more)} more: --limit COUNT shows them`, styles: ["dim"] }
      : null,
    cost.isByPrices
      ? { text: `Cost by list prices of ${list.asOf}, where the agent reports none.`, styles: ["dim"] }
      : null,
    named.length > 0
      ? { text: `Not in the cost, because they have no price: ${named.join(", ")}`, styles: ["yellow"] }
      : null,
  ];
  return notes.flatMap((note) => (note === null ? [] : sentenceLines([note], shell, shell.stdout)));
}

const MAX_BAR_COLUMNS = 60;
const PIPE_COLUMNS = 80;
const MAX_NAME_COLUMNS = 24;
/** Bars of 0 to 7 eighths of a column. */
const PARTS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A bar for each group: of its cost, or of its tokens if no cost is known. */
export function drawChart(grouped: UsageGroups, drawing: DrawOptions): string {
  const { groups, total } = grouped;
  if (groups.length === 0) return "Nothing to count.\n";
  const screen = screenOf(drawing.shell, drawing.shell.stdout);
  const paint = paintFor(screen);
  const isCost = (total.cost.usd ?? 0) > 0;
  const sizeOf = (group: Group): number => (isCost ? (group.cost.usd ?? 0) : group.tokens.total);
  const textOf = (group: Group): string =>
    isCost ? formatCost(group.cost) : `${formatCount(group.tokens.total)} tokens`;
  const rows = groups.map((group) => [nameOf(group, drawing), textOf(group)]);
  const width = Math.min(MAX_NAME_COLUMNS, ...[Math.max(...rows.map(([name = ""]) => name.length))]);
  const columns: readonly Column[] = [
    { header: "", align: "left", ideal: width, min: 7 },
    { header: "", align: "right" },
  ];
  const { cells } = layOut(columns, rows, { columns: width + 40, emptyColumns: "keep" });
  const taken = (cells[1] ?? []).reduce((sum, cell) => sum + cell.length + 2, 0);
  const room = (screen.isTerminal ? screen.columns : PIPE_COLUMNS) - taken;
  const most = Math.max(...groups.map(sizeOf));
  const lines = groups.map((group, at) => {
    const [name = "", text = ""] = cells[at + 1] ?? [];
    const bar = barOf(most === 0 ? 0 : sizeOf(group) / most, Math.max(1, Math.min(MAX_BAR_COLUMNS, room)));
    return `${name}  ${text}  ${paint(bar, "cyan")}`.trimEnd();
  });
  return [...lines, ...notesOf(total, drawing)].map((line) => `${line}\n`).join("");
}

/** Any value above 0 has at least an eighth of a column. */
function barOf(share: number, columns: number): string {
  const eighths = share === 0 ? 0 : Math.max(1, Math.round(share * columns * 8));
  return "█".repeat(Math.floor(eighths / 8)) + (PARTS[eighths % 8] ?? "");
}
