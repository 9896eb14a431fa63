/** The options for a continuation, which decide how a run receives the earlier conversation. */

import { ContinuoError, type Resumption } from "@continuo/core/model";

/**
 * - `false` nothing of what was said before; a new native session
 * - `replay` the messages of the session's log; a native session is never touched
 * - `native` the agent's own session, and what was said since its own last turn; else `native_unavailable`
 * - `auto`, `true` native if that is possible and the agent confirms it, else replay with the reason
 */
export type Continuation = boolean | "auto" | "replay" | "native";

/** The part of the earlier conversation that the agent may receive. A limit that is left out does not apply. */
export interface ContinuationOptions {
  /** Number of the newest events of the log. */
  readonly limit?: number;
  readonly maxMessages?: number;
  readonly maxChars?: number;
  readonly maxTokensApprox?: number;
}

export type ContinuationWish = "new" | "auto" | "replay" | "native";

const ASKED: ReadonlyMap<unknown, ContinuationWish> = new Map<unknown, ContinuationWish>([
  [false, "new"],
  [true, "auto"],
  ["auto", "auto"],
  ["replay", "replay"],
  ["native", "native"],
]);

/** Errors: `usage`. */
export function askedOf(continuation: Continuation): ContinuationWish {
  const asked = ASKED.get(continuation);
  if (asked !== undefined) return asked;
  throw new ContinuoError("usage", `there is no continuation ${JSON.stringify(continuation)}`, {
    hint: "Use false, true, auto, replay or native.",
  });
}

export type { Resumption };
