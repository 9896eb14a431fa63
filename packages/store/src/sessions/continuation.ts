/** The options for a continuation, which decide how a run receives the earlier conversation. */

import { ContinuoError, type Resumption } from "@continuo/core/model";
import type { Tokenizer } from "@continuo/core/transcript";

/**
 * - `false`: the agent receives nothing of what was said before, in a new native session
 * - `replay`: the agent receives the messages of the session's log; a native session is never touched
 * - `native`: the agent continues its native session, and receives what was said since its last turn; if this is
 *   impossible, the error is `native_unavailable`
 * - `auto`, `true`: like `native` if this is possible and the agent confirms it; otherwise like `replay`, and the
 *   reason is reported
 */
export type Continuation = boolean | "auto" | "replay" | "native";

/** The part of the earlier conversation that the agent may receive. A limit that is left out does not apply. */
export interface ContinuationOptions {
  /** Number of the newest events of the log. */
  readonly limit?: number;
  readonly maxMessages?: number;
  readonly maxChars?: number;
  readonly maxTokensApprox?: number;
  /** Counts the tokens for `maxTokensApprox`; without it, four characters count as a token. */
  readonly tokenizer?: Tokenizer;
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
