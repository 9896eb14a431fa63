/** An agent's repeated request to its model, reported in the same words for all agents. Pure. */

import type { AgentEvent } from "@continuo/core/model";
import type { Json } from "@continuo/files";

export interface Retry {
  /** The cause: `529 overloaded`, `the connection was lost`. */
  readonly why: string;
  /** The number of the next attempt, from 1; left out if the agent does not count. */
  readonly attempt?: unknown;
  readonly attempts?: unknown;
  readonly waitMs?: unknown;
  /** The agent's own record. */
  readonly details: Json;
}

/** `529 overloaded; tries again in 0.6 s (attempt 1 of 10)` */
export function retryEvent({ why, attempt, attempts, waitMs, details }: Retry): AgentEvent {
  const when = typeof waitMs === "number" && waitMs >= 0 ? ` in ${seconds(waitMs)} s` : "";
  const of = typeof attempts === "number" ? ` of ${attempts}` : "";
  const count = typeof attempt === "number" ? ` (attempt ${attempt}${of})` : "";
  return { type: "error", message: `${why}; tries again${when}${count}`, details };
}

function seconds(ms: number): string {
  return ms < 10_000 ? (ms / 1_000).toFixed(1) : String(Math.round(ms / 1_000));
}
