/** `stats`: what all sessions used, as a table. */

import { PRICE_SOURCES, PRICES_AS_OF, usageOfAll } from "@continuo/agents/catalog";
import { readHomeConfiguration } from "@continuo/agents/config";
import { present } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import {
  type Column,
  createOutput,
  createProgress,
  formatCost,
  formatCount,
  layOut,
  type Paint,
  paintFor,
  parseSince,
  plural,
  type Shell,
  screenOf,
  tildePath,
  toJsonText,
} from "../terminal/index.ts";
import type { Grouping, StatsFlags } from "./flags.ts";
import { type Group, groupUsage, type UsageGroups } from "./groups.ts";

export async function runStats({ since: when, by = "day", json }: StatsFlags, shell: Shell): Promise<number> {
  const since = when === undefined ? undefined : parseSince(when, shell.now);
  const { prices } = await readHomeConfiguration(shell);
  const { sessions, unreadable } = await readAll(shell);
  const grouped = groupUsage(sessions, present({ by, prices, since }));
  const output = createOutput(shell.stdout);
  if (json) await output.write(`${toJsonText(toJson(grouped, { by, since, unreadable }), 2)}\n`);
  else await output.write(draw(grouped, by, shell));
  if (unreadable > 0 && !json) {
    const paint = paintFor(screenOf(shell, shell.stderr));
    shell.stderr.write(`${paint(`${plural(unreadable, "session")} cannot be read`, "yellow")}\n`);
  }
  return 0;
}

async function readAll(shell: Shell): ReturnType<typeof usageOfAll> {
  using progress = createProgress(shell);
  return await usageOfAll({
    places: shell,
    onProgress: (sessions) => progress.show(`read ${plural(sessions, "session")}`),
  });
}

interface Facts {
  readonly by: Grouping;
  readonly since: string | undefined;
  readonly unreadable: number;
}

function toJson({ groups, total }: UsageGroups, { by, since, unreadable }: Facts): object {
  const facts = ({ sessions, turns, tokens, cost }: Group): object => ({
    sessions,
    turns,
    tokens,
    costUsd: cost.usd,
    isByPrices: cost.isByPrices,
    unpriced: cost.unpriced,
  });
  return {
    by,
    since: since ?? null,
    groups: groups.map((group) => ({ [by]: group.key, ...facts(group) })),
    total: facts(total),
    unreadable,
    prices: { asOf: PRICES_AS_OF, sources: PRICE_SOURCES },
  };
}

function columnsFor(by: Grouping): readonly Column[] {
  const number = { align: "right" } as const;
  return [
    { header: by, align: "left", ideal: 40, min: 10, ...(by === "project" ? { cut: "start" as const } : {}) },
    { header: "sessions", ...number },
    { header: "turns", ...number, rank: 3 },
    { header: "input", ...number, rank: 2 },
    { header: "output", ...number, rank: 2 },
    { header: "cache read", ...number, rank: 1 },
    { header: "cache write", ...number, rank: 1 },
    { header: "cost", ...number },
  ];
}

function draw(grouped: UsageGroups, by: Grouping, shell: Shell): string {
  const { groups, total } = grouped;
  if (groups.length === 0) return "Nothing to count.\n";
  const screen = screenOf(shell, shell.stdout);
  const paint = paintFor(screen);
  const rows = [
    ...groups.map((group) => toRow(nameOf(group, by, shell), group)),
    ...(groups.length > 1 ? [toRow("total", total)] : []),
  ];
  const { cells } = layOut(columnsFor(by), rows, screen.isTerminal ? { columns: screen.columns } : {});
  const last = groups.length > 1 ? cells.length - 1 : -1;
  const lines = cells.map((row, at) => {
    const text = row.join("  ").trimEnd();
    return at === 0 ? paint(text, "dim") : at === last ? paint(text, "bold") : text;
  });
  return [...lines, ...notesOf(total, paint)].map((line) => `${line}\n`).join("");
}

function nameOf({ key }: Group, by: Grouping, { home }: Shell): string {
  if (key === null) return "unknown";
  return visibleLine(by === "project" ? tildePath(key, home) : key);
}

function toRow(name: string, { sessions, turns, tokens, cost }: Group): string[] {
  const counts = [sessions, turns, tokens.input, tokens.output, tokens.cacheRead, tokens.cacheWrite];
  return [name, ...counts.map(formatCount), formatCost(cost)];
}

function notesOf({ cost }: Group, paint: Paint): string[] {
  const named = cost.unpriced.map((model) => visibleLine(model ?? "calls without a model"));
  return [
    ...(cost.isByPrices
      ? [paint(`Cost by list prices of ${PRICES_AS_OF}, where the agent reports none.`, "dim")]
      : []),
    ...(named.length > 0
      ? [paint(`Without a price, and not in the cost: ${named.join(", ")}`, "yellow")]
      : []),
  ];
}
