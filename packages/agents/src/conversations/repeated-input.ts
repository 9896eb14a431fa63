/**
 * Recognizes a prompt that was cut off and is sent again: it continues the earlier run, and is not stored twice in the
 * session. A turn of another person may be between the two prompts, or may be running.
 */

import { isContinuoError, type Session } from "@continuo/core/model";
import { findCutOff, type RunInput } from "@continuo/store/sessions";
import type { Recovery, UnansweredInput } from "./crash-recovery.ts";
import { TALK_LIMITS } from "./limits.ts";
import type { WokenSession } from "./run.ts";

export interface RepeatedInput {
  /** The run that was interrupted. */
  readonly runId: string;
  /** The present session. */
  readonly session: Session;
  /** True if the agent's own record has that input, so that its native session continues. */
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
  // The person was informed about this input, so its age does not matter.
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

/** True if both inputs have the same text, so that the second one is a repetition. */
function isSameInput(input: RunInput, { input: before }: UnansweredInput): boolean {
  const now = typeof input === "string" ? [{ type: "text", text: input }] : input;
  return JSON.stringify(now) === JSON.stringify(before);
}

/** Removes the newest input, which is being repeated. */
export function withoutNewest(woken: WokenSession): WokenSession {
  return { ...woken, unanswered: null, mayHaveMore: true };
}
