/** The tokens and the cost of a run. If several events report the same tokens, the event closest to the model counts. */

import { type AgentEvent, addUsage, present, type Usage } from "@continuo/core/model";
import { toUsage } from "@continuo/core/transcript";

export interface UsageSums {
  readonly calls?: Usage;
  readonly total?: Usage;
  readonly messages?: Usage;
  readonly turn?: Usage;
  readonly costUsd?: number;
}

export function countUsage(sums: UsageSums, event: AgentEvent): UsageSums {
  if (event.type === "message" || event.type === "turn_completed") {
    const usage = toUsage(event.usage);
    if (usage === undefined) return sums;
    return event.type === "turn_completed"
      ? { ...sums, turn: usage }
      : { ...sums, messages: addUsage(sums.messages, usage) };
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
