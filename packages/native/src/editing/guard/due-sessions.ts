/** Computes when agents delete sessions by themselves, without changing anything. */

import type { AgentName } from "@continuo/core/model";
import { present } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import type { FoundRow, SkimMemo } from "../../native/kit/index.ts";
import { keyOf } from "./folder.ts";
import { readLedger } from "./ledger.ts";
import { agentsWithRules } from "./run.ts";

export interface DueSession {
  readonly agent: AgentName;
  readonly sessionId: string;
  readonly location: string;
  /** ISO 8601. If it is in the past, the agent deletes the session at its next start. */
  readonly endsAt: string;
  /** The rule, as a sentence without a full stop. */
  readonly rule: string;
  /** True if the guard has a copy of the present or an earlier state. */
  readonly hasCopy: boolean;
}

export interface AgentRule {
  readonly agent: AgentName;
  /** `null` if its settings delete nothing. */
  readonly rule: string | null;
  readonly sessions: number;
}

export interface DueSessions {
  readonly rules: readonly AgentRule[];
  /** The sessions, those with the earliest deletion first. */
  readonly sessions: readonly DueSession[];
}

export async function findDueSessions(options: {
  readonly places: Places;
  readonly memo?: SkimMemo;
  readonly signal?: AbortSignal;
}): Promise<DueSessions> {
  const { places } = options;
  const ledger = readLedger(places);
  const rules: AgentRule[] = [];
  const sessions: DueSession[] = [];
  for (const { agent, reader, retention } of await agentsWithRules()) {
    const rows: FoundRow[] = [];
    const looking = present({ memo: options.memo, signal: options.signal });
    for await (const found of reader.find(places, looking)) {
      if (found.problems.length > 0) continue;
      rows.push({ found, info: await reader.skim(found, { part: "ends", ...looking }) });
    }
    rules.push({ agent, rule: retention.rule(places), sessions: rows.length });
    const ends = await retention.endsOf(rows, places, options.memo);
    for (const { found } of rows) {
      const end = ends.get(found.location);
      if (end === undefined) continue;
      const { sessionId, location } = found;
      const endsAt = new Date(Math.min(end.atMs, MAX_TIME_MS)).toISOString();
      sessions.push({
        agent,
        sessionId,
        location,
        endsAt,
        rule: end.rule,
        hasCopy: ledger.has(keyOf(found)),
      });
    }
  }
  return { rules, sessions: sessions.sort((a, b) => (a.endsAt < b.endsAt ? -1 : 1)) };
}

/** The sessions that agents delete within this number of days, or may have deleted already. */
export function endsWithin<Due extends Pick<DueSession, "endsAt">>(
  sessions: readonly Due[],
  days: number,
  now: Date,
): readonly Due[] {
  const end = new Date(now.getTime() + days * DAY_MS).toISOString();
  return sessions.filter(({ endsAt }) => endsAt <= end);
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The latest time that a `Date` can represent. */
const MAX_TIME_MS = 8.64e15;
