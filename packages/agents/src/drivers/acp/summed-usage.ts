/** The usage of one turn, of an agent whose answers count all turns since its program opened the session. Pure. */

import type { Usage } from "@continuo/core/model";

/**
 * @param before the sum at the end of the previous turn; a smaller `total` means that the agent began to count again
 */
export function usageSince(total: Usage, before: Usage | null): Usage {
  if (before === null || total.inputTokens < before.inputTokens || total.outputTokens < before.outputTokens) {
    return total;
  }
  const counts = Object.entries(total).map(([name, count]) => {
    return [name, count - (before[name as keyof Usage] ?? 0)];
  });
  return Object.fromEntries(counts);
}
