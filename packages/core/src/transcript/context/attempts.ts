/** Attempts at one message: what a model that is asked again is given of those before, and what later ones are given. Pure. */

import type { AgentRequest, Message } from "../../model/index.ts";

/** The parts of an agent's request that say it. */
export interface AttemptRequest {
  readonly run: Pick<AgentRequest["run"], "metadata">;
  readonly transcript?: Pick<NonNullable<AgentRequest["transcript"]>, "messages">;
}

/** A conversation, divided where an earlier attempt at its newest message began. */
export interface EarlierAttempt {
  readonly before: readonly Message[];
  /** What the attempts left, and what others said since. */
  readonly since: readonly Message[];
}

/** `null` if this is the first attempt, or if the earlier ones left nothing. */
export function earlierAttempt({ run, transcript }: AttemptRequest): EarlierAttempt | null {
  const messages = transcript?.messages ?? [];
  // Callers without a session may leave it out.
  const { saidBy } = run.metadata ?? {};
  const first = messages.findIndex(({ metadata }) => metadata.runId === saidBy);
  if (typeof saidBy !== "string" || first === -1) return null;
  return { before: messages.slice(0, first), since: messages.slice(first) };
}

/**
 * Without the half answers of attempts that were cut off, and without the notes of it, where a later attempt answered the same
 * message (`metadata.replacedBy`). What the tools of these attempts did stays.
 */
export function withoutReplaced(messages: readonly Message[]): readonly Message[] {
  return messages.filter(({ metadata }) => metadata.replacedBy === undefined);
}
