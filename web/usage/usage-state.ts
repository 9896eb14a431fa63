/** Reads the choices of the usage page from its address, and makes the bars of its chart. Pure. */

import type { UsageGroup } from "@continuo/core/wire/machine";

export const PERIODS = ["7", "30", "90", "all"] as const;
export type Period = (typeof PERIODS)[number];

export interface UsageChoices {
  /** The number of days up to today, or `all`. */
  readonly period: Period;
  readonly measure: "cost" | "tokens";
}

const USUAL: UsageChoices = { period: "30", measure: "cost" };

export function usageChoicesIn(hash: string): UsageChoices {
  const query = new URLSearchParams(hash.split("?")[1]);
  return {
    period: PERIODS.find((one) => one === query.get("days")) ?? USUAL.period,
    measure: query.get("measure") === "tokens" ? "tokens" : USUAL.measure,
  };
}

export function usageLink({ period, measure }: UsageChoices): string {
  const query = new URLSearchParams();
  if (period !== USUAL.period) query.set("days", period);
  if (measure !== USUAL.measure) query.set("measure", measure);
  const text = query.toString();
  return text === "" ? "#/usage" : `#/usage?${text}`;
}

/** Returns midnight of the first day, ISO 8601; `undefined` for all days. */
export function sinceOfPeriod(period: Period, now: Date): string | undefined {
  if (period === "all") return undefined;
  const first = new Date(now.getFullYear(), now.getMonth(), now.getDate() - Number(period) + 1);
  return first.toISOString();
}

export interface Bar {
  /** `2026-01-31`, or a month, `2026-01`. */
  readonly time: string;
  readonly costUsd: number;
  readonly tokens: number;
}

/** If there are more days than this, a bar is drawn for each month. */
const MAX_DAYS = 100;

/**
 * Returns one bar for each day from the first to the last, or for each month if there are many days. Days without usage
 * are included; groups without a day are left out.
 */
export function barsOf(days: readonly UsageGroup[]): readonly Bar[] {
  const known = days.filter(({ key }) => key !== null);
  const [first, last] = [known[0]?.key ?? null, known.at(-1)?.key ?? null];
  if (first === null || last === null) return [];
  const all = daysFrom(first, last);
  const isByDay = all.length <= MAX_DAYS;
  const times = isByDay ? all : [...new Set(all.map(monthOf))];
  const bars = new Map(times.map((time) => [time, { time, costUsd: 0, tokens: 0 }]));
  for (const { key, costUsd, tokens } of known) {
    const bar = bars.get(isByDay ? (key ?? "") : monthOf(key ?? ""));
    if (bar === undefined) continue;
    bar.costUsd += costUsd ?? 0;
    bar.tokens += tokens.total;
  }
  return [...bars.values()];
}

function monthOf(day: string): string {
  return day.slice(0, "2026-01".length);
}

/** Returns the days from the first to the last. It counts in UTC, where every day has 24 hours. */
function daysFrom(first: string, last: string): readonly string[] {
  const times: string[] = [];
  const end = Date.parse(last);
  for (let at = Date.parse(first); at <= end; at += 86_400_000) {
    times.push(new Date(at).toISOString().slice(0, "2026-01-31".length));
  }
  return times;
}
