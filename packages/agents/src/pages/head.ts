/** The head of a session, made from a full read. Pure. */

import { type Leaf, PROBLEM_KINDS, type Problem, toSessionRow } from "@continuo/core/model";
import {
  isTrashKey,
  type MachineProblem,
  type MachineSession,
  type SessionHead,
} from "@continuo/core/wire/machine";
import {
  type CatalogDetails,
  costOf,
  forkOriginOf,
  type ListedSession,
  nativeKey,
  type Prices,
  tokensOf,
} from "../catalog/index.ts";
import type { CachedHistory } from "./cached-history.ts";
import { subagentKey } from "./keys.ts";
import { HISTORY_LIMITS } from "./limits.ts";
import { spentIn } from "./turn-facts.ts";

/** A session that was read as a whole. */
export interface ReadHistory {
  readonly kept: CachedHistory;
  readonly details: CatalogDetails;
  readonly leaves: readonly Leaf[];
  readonly problems: readonly Problem[];
}

export interface HeadNames {
  readonly key: string;
  readonly shown: MachineSession;
  readonly location: string;
  /** The key of the session that started it, for a sub-agent. */
  readonly parentKey: string | null;
}

const NO_MARKS: MachineSession["marks"] = { pinned: false, tags: [] };

/** The row of a list before its session was read. */
export function toMachineSession(key: string, row: ListedSession): MachineSession {
  const source = forkOriginOf(row);
  return {
    key,
    ...toSessionRow(row),
    trashId: null,
    marks: row.marks ?? NO_MARKS,
    place: row.place ?? null,
    forkedFrom: source === null ? null : nativeKey(source),
    problems: [...new Set(row.problems.map(({ code }) => code))],
    model: null,
    turns: null,
    tokens: null,
    costUsd: null,
    facts: null,
  };
}

export function toHead(
  { key, shown, location, parentKey }: HeadNames,
  { details, leaves, problems, kept }: ReadHistory,
  prices: Prices,
): SessionHead {
  const { messages, toolCalls, records, unknownRecords, models, agentVersions, usage, forkedFrom } = details;
  const turns = kept.turns.at(-1);
  const [only, ...others] = models;
  // The cost of the shown branch is only a part of the session's cost.
  const shownPart = spentIn(kept.turns);
  const byTotal =
    usage === null
      ? null
      : costOf([{ model: others.length === 0 ? (only ?? null) : null, usage }], prices).usd;
  const costUsd = larger(shownPart.costUsd, byTotal);
  return {
    session: {
      ...shown,
      model: [...(turns?.models ?? [])].at(-1) ?? models.at(-1) ?? null,
      turns: kept.turns.length,
      tokens: Math.max(shownPart.tokens, usage === null ? 0 : tokensOf(usage)),
      costUsd,
    },
    location,
    messages,
    toolCalls,
    records,
    unknownRecords,
    models,
    agentVersions,
    usage,
    costUsd,
    branches: leaves.slice(0, HISTORY_LIMITS.branches),
    problems: problems.slice(0, HISTORY_LIMITS.problems).map(toMachineProblem),
    problemCount: problems.length,
    subagents: details.subagents.map(({ location: _, ...info }) => ({
      ...info,
      key: subagentKey(key, info.id),
    })),
    forkedFrom,
    parentKey,
    readOnly: isTrashKey(key) ? "The session is in the trash." : readOnlyOf(details.live, parentKey),
  };
}

function larger(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

export function toMachineProblem({ code, message, line, file }: Problem): MachineProblem {
  const { severity, advice } = PROBLEM_KINDS[code];
  return { code, severity, message, advice, file: file ?? null, line };
}

function readOnlyOf(live: boolean | null, parentKey: string | null): string | null {
  if (live === true) return "The session is open in its agent.";
  return parentKey === null ? null : "Sub-agents are changed by the session that started them alone.";
}
