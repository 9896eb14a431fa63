/** Counts the tokens of a session by hour and model. */

import { addUsage, type Message, type Usage } from "@continuo/core/model";
import { messageKind } from "@continuo/core/transcript";

import { everyMessage } from "./every-message.ts";
import type { CatalogSession } from "./open-session.ts";
import { tokensOf } from "./prices.ts";

export interface UsageBucket {
  /** ISO 8601 UTC, up to the hour: `2026-01-31T09`; `null` if no time is recorded. */
  readonly hour: string | null;
  /** `null` if no model is recorded. */
  readonly model: string | null;
  /** The number of messages of a person. */
  readonly turns: number;
  readonly usage: Usage;
}

/**
 * Each message counts for its own hour and model. Tokens that are in the session's total but in no message are added to
 * the session's last hour, and to its model if it has only one, otherwise to no model.
 */
export async function usageOf(
  session: Pick<CatalogSession, "details" | "leaves" | "history">,
): Promise<readonly UsageBucket[]> {
  const { details } = session;
  const buckets = new Map<string, UsageBucket>();
  let asked: Message[] = [];
  let sum: Usage | null = null;
  for await (const message of everyMessage(session)) {
    // Records that a fork shares with its source count for the source.
    if (message.metadata.records?.some(({ file }) => file !== undefined) === true) continue;
    if (messageKind(message) === "person") asked.push(message);
    const { usage, model } = message;
    if (model === undefined && usage === undefined) continue;
    for (const turn of asked) add(buckets, { at: turn.timestamp, model }, { turns: 1, usage: NOTHING });
    asked = [];
    if (usage === undefined) continue;
    sum = addUsage(sum, usage);
    add(buckets, { at: message.timestamp, model }, { turns: 0, usage });
  }
  const [only, ...others] = details.models;
  const rest = { at: details.updatedAt ?? undefined, model: others.length === 0 ? only : undefined };
  for (const turn of asked) add(buckets, { ...rest, at: turn.timestamp }, { turns: 1, usage: NOTHING });
  const left = details.usage === null ? null : difference(details.usage, sum ?? NOTHING);
  if (left !== null && (tokensOf(left) > 0 || (left.costUsd ?? 0) > 0)) {
    add(buckets, rest, { turns: 0, usage: left });
  }
  return [...buckets.values()];
}

const NOTHING: Usage = { inputTokens: 0, outputTokens: 0 };
const HOUR_CHARS = "2026-01-31T09".length;

interface UsageKey {
  readonly at: string | undefined;
  readonly model: string | undefined;
}

function add(
  buckets: Map<string, UsageBucket>,
  { at, model }: UsageKey,
  more: Pick<UsageBucket, "turns" | "usage">,
): void {
  const hour = at?.slice(0, HOUR_CHARS) ?? null;
  const key = `${hour} ${model}`;
  const before = buckets.get(key);
  buckets.set(key, {
    hour,
    model: model ?? null,
    turns: (before?.turns ?? 0) + more.turns,
    usage: addUsage(before?.usage ?? null, more.usage),
  });
}

/** Subtracts the sum of the parts from the whole. */
function difference(whole: Usage, parts: Usage): Usage {
  const more = (field: keyof Usage): number => {
    const left = (whole[field] ?? 0) - (parts[field] ?? 0);
    // Sums of dollars may differ in their last digits.
    return left > 1e-9 ? left : 0;
  };
  return {
    inputTokens: more("inputTokens"),
    outputTokens: more("outputTokens"),
    cacheReadTokens: more("cacheReadTokens"),
    cacheWriteTokens: more("cacheWriteTokens"),
    cacheWriteHourTokens: more("cacheWriteHourTokens"),
    costUsd: more("costUsd"),
  };
}
