/** `stats`: what all sessions used, as a table, a chart or JSON. */

import { listCatalog, OWN, type PriceList, usageOfAll } from "@continuo/agents/catalog";
import { ContinuoError, present } from "@continuo/core/model";
import { READABLE_AGENTS } from "@continuo/native";
import {
  createOutput,
  createProgress,
  paintFor,
  parseSince,
  plural,
  type Shell,
  screenOf,
  toJsonText,
} from "../terminal/index.ts";
import { drawChart, drawTable } from "./draw.ts";
import type { Grouping, StatsFlags } from "./flags.ts";
import { type Group, groupUsage, isTime, type UsageGroups } from "./groups.ts";
import { toUsageGroup } from "./machine-usage.ts";
import { readPrices } from "./prices.ts";

/** The number of lines that a person reads at a glance; times are all shown. */
const DEFAULT_LIMIT = 20;

export async function runStats(flags: StatsFlags, shell: Shell): Promise<number> {
  const { since: when, by = "day", json } = flags;
  const agents = agentsOf(flags.agent);
  const since = when === undefined ? undefined : parseSince(when, shell.now);
  const prices = await readPrices(shell);
  const report = await readAll(shell);
  const sessions = report.sessions.filter(({ agent }) => agents?.includes(agent) !== false);
  const grouped = groupUsage(sessions, present({ by, prices, since }));
  const titles = by === "session" ? await titlesOf(shell) : new Map<string, string>();
  const facts = { by, since, unreadable: report.unreadable, list: prices.list, titles };
  const limit = flags.limit ?? (json || isTime(by) ? Number.POSITIVE_INFINITY : DEFAULT_LIMIT);
  const shown = { ...grouped, groups: newest(grouped.groups, limit, by) };
  const output = createOutput(shell.stdout);
  if (json) await output.write(`${toJsonText(toJson(shown, facts), 2)}\n`);
  else {
    const draw = flags.chart ? drawChart : drawTable;
    await output.write(draw(shown, { ...facts, shell, more: grouped.groups.length - shown.groups.length }));
  }
  if (report.unreadable > 0 && !json) {
    const paint = paintFor(screenOf(shell, shell.stderr));
    shell.stderr.write(`${paint(`${plural(report.unreadable, "session")} cannot be read`, "yellow")}\n`);
  }
  return 0;
}

/** Names match in any letter case. Errors: `usage` for an agent whose sessions are not counted. */
function agentsOf(names: readonly string[] | undefined): readonly string[] | undefined {
  const known: readonly string[] = [...READABLE_AGENTS, OWN];
  return names?.map((name) => {
    const found = known.find((one) => one === name.toLowerCase());
    if (found !== undefined) return found;
    throw new ContinuoError("usage", `stats counts no sessions of ${JSON.stringify(name)}`, {
      hint: `Name one of ${known.join(", ")}.`,
    });
  });
}

/** The last lines for times, and otherwise the first ones, which have the most tokens. */
function newest(groups: readonly Group[], limit: number, by: Grouping): readonly Group[] {
  return isTime(by) ? groups.slice(Math.max(0, groups.length - limit)) : groups.slice(0, limit);
}

async function readAll(shell: Shell): ReturnType<typeof usageOfAll> {
  using progress = createProgress(shell);
  return await usageOfAll({
    places: shell,
    onProgress: (sessions) => progress.show(() => `read ${plural(sessions, "session")}`),
  });
}

/** Returns titles by `AGENT:ID`. A native session of an own session has the title of the own session. */
async function titlesOf(shell: Shell): Promise<ReadonlyMap<string, string>> {
  const { sessions } = await listCatalog({ archived: "include" }, { places: shell });
  const titles = new Map<string, string>();
  for (const { agent, sessionId, title, nativeRefs = [] } of sessions) {
    if (title === null) continue;
    for (const one of [{ agent, sessionId }, ...nativeRefs])
      titles.set(`${one.agent}:${one.sessionId}`, title);
  }
  return titles;
}

interface Facts {
  readonly by: Grouping;
  readonly since: string | undefined;
  readonly unreadable: number;
  readonly list: PriceList;
  readonly titles: ReadonlyMap<string, string>;
}

function toJson({ groups, total }: UsageGroups, { by, since, unreadable, list, titles }: Facts): object {
  const facts = (group: Group): object => {
    const { key: _, ...figures } = toUsageGroup(group);
    return figures;
  };
  return {
    by,
    since: since ?? null,
    groups: groups.map((group) => ({
      [by]: group.key,
      ...(by === "session" ? { title: titles.get(group.key ?? "") ?? null } : {}),
      ...facts(group),
    })),
    total: facts(total),
    unreadable,
    prices: { asOf: list.asOf, sources: [list.source] },
  };
}
