/** The tokens and the cost of a run. If several events report the same tokens, the event closest to the model counts. */

import { type AgentEvent, addUsage, present, type Usage } from "@continuo/core/model";
import { toUsage } from "@continuo/core/transcript";
import { LIMITS } from "./limits.ts";

export interface UsageSums {
  readonly calls?: Usage;
  readonly total?: Usage;
  readonly messages?: Usage;
  /** The newest messages that had an id: one that has grown is reported again, with the usage of all of it. */
  readonly newest?: readonly NamedUsage[];
  readonly turn?: Usage;
  readonly costUsd?: number;
}

interface NamedUsage {
  readonly messageId: string;
  readonly usage: Usage;
}

export function countUsage(sums: UsageSums, event: AgentEvent): UsageSums {
  if (event.type === "message" || event.type === "turn_completed") {
    const usage = toUsage(event.usage);
    if (usage === undefined) return sums;
    return event.type === "turn_completed"
      ? { ...sums, turn: usage }
      : countMessage(sums, usage, event.messageId);
  }
  if (event.type !== "usage") return sums;
  const [usage, total] = [toUsage(event.usage), toUsage(event.total)];
  const costUsd = Number.isFinite(event.costUsd) ? event.costUsd : undefined;
  const cost = total === undefined ? (sums.costUsd ?? 0) + (costUsd ?? 0) : costUsd;
  return {
    ...sums,
    ...present({ calls: usage === undefined ? undefined : addUsage(sums.calls, usage), total }),
    ...(costUsd === undefined || cost === undefined ? {} : { costUsd: cost }),
  };
}

function countMessage(sums: UsageSums, usage: Usage, messageId: string | undefined): UsageSums {
  if (messageId === undefined) return { ...sums, messages: addUsage(sums.messages, usage) };
  const newest = sums.newest ?? [];
  const instead = newest.find((one) => one.messageId === messageId)?.usage;
  const others = newest.filter((one) => one.messageId !== messageId);
  return {
    ...sums,
    messages: addUsage(sums.messages, usage, { instead }),
    newest: [...others, { messageId, usage }].slice(-LIMITS.rememberedUsages),
  };
}

/** The usage with the cost, if it was reported. */
export function usageOf(sums: UsageSums): Usage | undefined {
  const usage = sums.total ?? sums.calls ?? sums.messages ?? sums.turn;
  const costUsd = sums.costUsd ?? usage?.costUsd;
  if (costUsd === undefined) return usage;
  return { ...(usage ?? { inputTokens: 0, outputTokens: 0 }), costUsd };
}

export function tokensOf(usage: Usage): number {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  return usage.totalTokens ?? inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
}
