/** The usage of the machine for its viewer: the figures of `continuo stats` by day, project, model and agent. */

import { usageOfAll } from "@continuo/agents/catalog";
import { present } from "@continuo/core/model";
import type { MachineUsage, UsageGroup } from "@continuo/core/wire/machine";
import type { Shell } from "../terminal/index.ts";
import type { Grouping } from "./flags.ts";
import { type Group, groupUsage, type UsageGroups } from "./groups.ts";
import { readPrices } from "./prices.ts";

const MAX_DAYS = 1_000;
const MAX_GROUPS = 200;

/** @param since ISO 8601; everything by default. Errors: as `readPrices`. */
export async function machineUsage(since: string | undefined, shell: Shell): Promise<MachineUsage> {
  const prices = await readPrices(shell);
  const { sessions, unreadable } = await usageOfAll({ places: shell });
  const by = (grouping: Grouping): UsageGroups =>
    groupUsage(sessions, present({ by: grouping, since, prices }));
  const most = (grouping: Grouping): readonly UsageGroup[] =>
    by(grouping).groups.slice(0, MAX_GROUPS).map(toUsageGroup);
  const { groups, total } = by("day");
  return {
    since: since ?? null,
    total: toUsageGroup(total),
    days: groups.slice(-MAX_DAYS).map(toUsageGroup),
    projects: most("project"),
    models: most("model"),
    agents: most("agent"),
    unreadable,
    prices: { asOf: prices.list.asOf, source: prices.list.source },
  };
}

export function toUsageGroup({ key, sessions, turns, tokens, cost }: Group): UsageGroup {
  const { usd, isByPrices, unpriced } = cost;
  return { key, sessions, turns, tokens, costUsd: usd, isByPrices, unpriced };
}
