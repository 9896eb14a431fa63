/**
 * A prompt that was cut off and is sent again: it continues the earlier one, and does not stand a second time in the
 * session. Another person's turn may be between the two, or run now.
 */

import { isContinuoError, type Session } from "@continuo/core/model";
import { findCutOff, type RunInput } from "@continuo/store/sessions";
import type { Recovery, UnansweredInput } from "./crash-recovery.ts";
import { TALK_LIMITS } from "./limits.ts";
import type { WokenSession } from "./run.ts";

export interface RepeatedInput {
  /** The run that was interrupted. */
  readonly runId: string;
  /** The session now. */
  readonly session: Session;
  /** The agent's own record has that input: its native session continues. */
  readonly isHeard: boolean;
}

export interface RepeatOptions extends Recovery {
  readonly woken: WokenSession;
  readonly signal: AbortSignal;
}

/** The interrupted run whose input this is; `null` if there is none. Errors: those of the store. */
export async function findRepeated(
  input: RunInput,
  { woken, signal, ...recovery }: RepeatOptions,
): Promise<RepeatedInput | null> {
  const { store, session } = recovery;
  const { sessionId } = session;
  const { unanswered, isHeard, mayHaveMore } = woken;
  // The person was told of this one, however long ago it was.
  if (unanswered?.sessionId === sessionId && isSameInput(input, unanswered))
    return { runId: unanswered.runId, session, isHeard };
  if (!mayHaveMore) return null;
  const sinceMs = Date.now() - TALK_LIMITS.repeatedMs;
  const found = await findCutOff(store, sessionId, input, { sinceMs, signal });
  if (found === null) return null;
  const { referToNativeRecord } = await import("./crash-recovery.ts");
  const now = await referToNativeRecord({ ...found, sessionId }, recovery);
  return { runId: found.runId, session: now ?? session, isHeard: now !== null };
}

/** True if another process has just given the same input again. */
export function isGivenToAnother(error: unknown): boolean {
  return isContinuoError(error, "conflict") && "status" in error.details;
}

/** The same words again are no second question. */
function isSameInput(input: RunInput, { input: before }: UnansweredInput): boolean {
  const now = typeof input === "string" ? [{ type: "text", text: input }] : input;
  return JSON.stringify(now) === JSON.stringify(before);
}
