/** Usage summed up by time, agent, project, model or session. Pure. */

import {
  type Cost,
  costOf,
  type ModelUsage,
  type Prices,
  type SessionUsage,
  tokensOf,
} from "@continuo/agents/catalog";
import { blocksOf } from "./blocks.ts";
import type { Grouping } from "./flags.ts";
import { localDay, monthOf, weekOf } from "./periods.ts";

export interface Group {
  /**
   * The form depends on the grouping: `2026-01-31` for a day, the date of its Monday for a week, and `2026-01` for a
   * month, all in local time; for a block, the hour at which it began, in UTC, such as `2026-01-31T09`; `AGENT:ID` for
   * a session; the name or the path for the others. `null` if the value is unknown.
   */
  readonly key: string | null;
  readonly sessions: number;
  readonly turns: number;
  readonly tokens: Tokens;
  readonly cost: Cost;
}

export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly total: number;
}

export interface UsageGroups {
  readonly groups: readonly Group[];
  readonly total: Group;
}

export interface GroupOptions {
  readonly by: Grouping;
  /** ISO 8601; everything by default. */
  readonly since?: string;
  readonly prices: Prices;
}

type Bucket = SessionUsage["buckets"][number];

/** Periods of time are sorted by time. All other groups are sorted by tokens, the largest number first. */
export function groupUsage(
  sessions: readonly SessionUsage[],
  { by, since, prices }: GroupOptions,
): UsageGroups {
  const all = createDraft();
  const drafts = new Map<string | null, GroupTotals>();
  const from = since?.slice(0, HOUR_CHARS);
  const toKey = keysOf(by, sessions);
  for (const session of sessions) {
    for (const bucket of session.buckets) {
      if (from !== undefined && (bucket.hour === null || bucket.hour < from)) continue;
      const key = toKey(session, bucket);
      const draft = drafts.get(key) ?? createDraft();
      drafts.set(key, draft);
      for (const one of [draft, all]) {
        if (!session.isSubagent) {
          one.sessions.add(session);
          one.turns += bucket.turns;
        }
        one.parts.push(bucket);
      }
    }
  }
  const groups = [...drafts].map(([key, draft]) => toGroup(key, draft, prices));
  const order = isTime(by) ? byKey : byTokens;
  return { groups: groups.sort(order), total: toGroup(null, all, prices) };
}

export function isTime(by: Grouping): boolean {
  return by === "day" || by === "week" || by === "month" || by === "block";
}

const HOUR_CHARS = "2026-01-31T09".length;

interface GroupTotals {
  readonly sessions: Set<SessionUsage>;
  turns: number;
  readonly parts: ModelUsage[];
}

function createDraft(): GroupTotals {
  return { sessions: new Set(), turns: 0, parts: [] };
}

type ToKey = (session: SessionUsage, bucket: Bucket) => string | null;

function keysOf(by: Grouping, sessions: readonly SessionUsage[]): ToKey {
  switch (by) {
    case "day":
      return (_, { hour }) => ofHour(hour, localDay);
    case "week":
      return (_, { hour }) => ofHour(hour, weekOf);
    case "month":
      return (_, { hour }) => ofHour(hour, monthOf);
    case "block": {
      const blocks = blocksOf(sessions.flatMap(({ buckets }) => buckets.map(({ hour }) => hour)));
      return (_, { hour }) => (hour === null ? null : (blocks.get(hour) ?? null));
    }
    case "session":
      return ({ agent, sessionId }) => `${agent}:${sessionId}`;
    case "agent":
      return ({ agent }) => agent;
    case "project":
      return ({ cwd }) => cwd;
    case "model":
      return (_, { model }) => model;
  }
}

function ofHour(hour: string | null, toPeriod: (at: Date) => string): string | null {
  const at = new Date(`${hour}:00:00Z`);
  return hour === null || Number.isNaN(at.getTime()) ? null : toPeriod(at);
}

function toGroup(key: string | null, { sessions, turns, parts }: GroupTotals, prices: Prices): Group {
  const tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  for (const { usage } of parts) {
    tokens.input += usage.inputTokens;
    tokens.output += usage.outputTokens;
    tokens.cacheRead += usage.cacheReadTokens ?? 0;
    tokens.cacheWrite += usage.cacheWriteTokens ?? 0;
    tokens.total += tokensOf(usage);
  }
  return { key, sessions: sessions.size, turns, tokens, cost: costOf(parts, prices) };
}

function byKey(a: Group, b: Group): number {
  return (a.key ?? "") < (b.key ?? "") ? -1 : 1;
}

function byTokens(a: Group, b: Group): number {
  return b.tokens.total - a.tokens.total || byKey(a, b);
}
