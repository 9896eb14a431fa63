/** The head of a session, made from a full read. Pure. */

import { costOf, type Prices } from "@continuo/agents/catalog";
import { PROBLEM_KINDS, type Problem } from "@continuo/core/model";
import { isTrashKey, type MachineProblem, type SessionHead } from "@continuo/core/wire/machine";
import { type CompleteHistory, HISTORY_LIMITS } from "./history/index.ts";
import { type KeyedSession, subagentKey } from "./session-lookup.ts";

export function toHead(
  { key, shown, row, parentKey }: KeyedSession,
  { details, leaves, problems, kept }: CompleteHistory,
  prices: Prices,
): SessionHead {
  const { messages, toolCalls, records, unknownRecords, models, agentVersions, usage, forkedFrom } = details;
  const turns = kept.turns.at(-1);
  const [only, ...others] = models;
  const costs = kept.turns.flatMap(({ costUsd }) => (costUsd === null ? [] : [costUsd]));
  const byTurns = costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0);
  const byTotal =
    usage === null
      ? null
      : costOf([{ model: others.length === 0 ? (only ?? null) : null, usage }], prices).usd;
  const costUsd = byTurns ?? byTotal;
  return {
    session: {
      ...shown,
      model: [...(turns?.models ?? [])].at(-1) ?? models.at(-1) ?? null,
      turns: kept.turns.length,
      tokens: kept.turns.reduce((sum, { tokens }) => sum + tokens, 0),
      costUsd,
    },
    location: row.location,
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

export function toMachineProblem({ code, message, line, file }: Problem): MachineProblem {
  const { severity, advice } = PROBLEM_KINDS[code];
  return { code, severity, message, advice, file: file ?? null, line };
}

function readOnlyOf(live: boolean | null, parentKey: string | null): string | null {
  if (live === true) return "The session is open in its agent.";
  return parentKey === null ? null : "Sub-agents are changed by the session that started them alone.";
}
