/** Usage summed up by day, agent, project or model. Pure. */

import {
  type Cost,
  costOf,
  type ModelUsage,
  type Prices,
  type SessionUsage,
  tokensOf,
} from "@continuo/agents/catalog";
import type { Grouping } from "./flags.ts";

export interface Group {
  /** A day is `2026-01-31`, in local time; `null` if it is unknown. */
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
  /** ISO 8601; everything when left out. */
  readonly since?: string;
  readonly prices: Prices;
}

/** Days in their order, everything else with the most tokens first. */
export function groupUsage(
  sessions: readonly SessionUsage[],
  { by, since, prices }: GroupOptions,
): UsageGroups {
  const all = createDraft();
  const drafts = new Map<string | null, Draft>();
  const from = since?.slice(0, HOUR_CHARS);
  for (const session of sessions) {
    for (const bucket of session.buckets) {
      if (from !== undefined && (bucket.hour === null || bucket.hour < from)) continue;
      const key = keyOf(by, session, bucket);
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
  const order = by === "day" ? byKey : byTokens;
  return { groups: groups.sort(order), total: toGroup(null, all, prices) };
}

const HOUR_CHARS = "2026-01-31T09".length;

interface Draft {
  readonly sessions: Set<SessionUsage>;
  turns: number;
  readonly parts: ModelUsage[];
}

function createDraft(): Draft {
  return { sessions: new Set(), turns: 0, parts: [] };
}

function keyOf(by: Grouping, session: SessionUsage, bucket: SessionUsage["buckets"][number]): string | null {
  switch (by) {
    case "day":
      return bucket.hour === null ? null : localDay(bucket.hour);
    case "agent":
      return session.agent;
    case "project":
      return session.cwd;
    case "model":
      return bucket.model;
  }
}

function localDay(hour: string): string | null {
  const at = new Date(`${hour}:00:00Z`);
  if (Number.isNaN(at.getTime())) return null;
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

function toGroup(key: string | null, { sessions, turns, parts }: Draft, prices: Prices): Group {
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
