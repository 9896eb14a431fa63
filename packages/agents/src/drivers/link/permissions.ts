/** Permissions: decisions of a policy, questions to a person, and the decision if the person does not answer. */

import {
  type AskPermission,
  assertKnownOptions,
  messageOf,
  type OpenConversation,
  type PermissionDecision,
  type PermissionOption,
  type PermissionPolicy,
  type PermissionRequest,
} from "@continuo/core/model";
import type { AgentTurn } from "./turn.ts";

export type { AskPermission, PermissionPolicy };

/** `safe` grants calls that only read and denies the others, `ask` lets a person decide, `unrestricted` grants all. */
export const PERMISSION_POLICIES: readonly PermissionPolicy[] = ["safe", "ask", "unrestricted"];

/** The decision of the policy; `null` if a person must be asked. */
export function decideByPolicy(
  policy: PermissionPolicy,
  request: PermissionRequest,
): PermissionDecision | null {
  if (policy === "ask") return null;
  if (policy === "unrestricted") return { outcome: "granted", by: "policy", reason: "everything is granted" };
  return request.readOnly === true
    ? { outcome: "granted", by: "policy", reason: "it only reads" }
    : { outcome: "denied", by: "policy", reason: "only calls that read are granted" };
}

export interface PolicyOptions {
  readonly policy: PermissionPolicy;
  /** Asks the person. If it is missing, every question that a person must decide is denied. */
  readonly ask?: AskPermission;
  /** Milliseconds after which a question without an answer is denied; 600,000 by default. */
  readonly timeLimitMs?: number;
}

const DEFAULT_TIME_LIMIT_MS = 10 * 60_000;

/** Returns the function for `OpenConversation.onPermission`. Errors: `usage` for an unknown option. */
export function permissionsBy(options: PolicyOptions): AskPermission {
  assertKnownOptions("permissionsBy", options, { policy: true, ask: true, timeLimitMs: true });
  const { policy, ask, timeLimitMs } = options;
  return async (request, { signal }) => {
    const decided = decideByPolicy(policy, request);
    if (decided !== null) return decided;
    if (ask === undefined) return { outcome: "denied", by: "policy", reason: "nobody is there to be asked" };
    return await askInTime(request, { ask, signal, timeLimitMs: timeLimitMs ?? DEFAULT_TIME_LIMIT_MS });
  };
}

/** The function that answers an agent's questions in a conversation: the given one, or else its policy. */
export function answererOf({
  onPermission,
  permissions = "ask",
}: Pick<OpenConversation, "onPermission" | "permissions">): AskPermission {
  return onPermission ?? permissionsBy({ policy: permissions });
}

interface InTime {
  readonly ask: AskPermission;
  readonly signal: AbortSignal;
  readonly timeLimitMs: number;
}

async function askInTime(
  request: PermissionRequest,
  { ask, signal, timeLimitMs }: InTime,
): Promise<PermissionDecision> {
  const late = new AbortController();
  const timeUp = Promise.withResolvers<PermissionDecision>();
  const timer = setTimeout(() => {
    timeUp.resolve({ outcome: "denied", by: "time limit", reason: `no answer within ${timeLimitMs} ms` });
    late.abort();
  }, timeLimitMs);
  try {
    const answer = ask(request, { signal: AbortSignal.any([signal, late.signal]) });
    // After the time limit nobody waits for the answer, which may still fail.
    answer.catch(() => undefined);
    return await Promise.race([timeUp.promise, answer]);
  } finally {
    clearTimeout(timer);
  }
}

export interface PermissionInTurn {
  readonly turn: AgentTurn;
  readonly request: PermissionRequest;
  /** See `answererOf`. */
  readonly onPermission: AskPermission;
  /** Aborted when the agent withdraws the question, or when the turn is cancelled. */
  readonly signal: AbortSignal;
}

const ENDED: PermissionDecision = { outcome: "cancelled", by: "agent", reason: "the turn ended" };

/**
 * Asks, and pushes the question and the decision as events of the turn. The person is asked after the reader of the
 * turn has stored the question, and the agent receives the decision after it is stored. After a crash it is therefore
 * known what the agent was permitted to do. Never throws: if asking fails, the call is denied.
 */
export async function askPermission({
  turn,
  request,
  onPermission,
  signal,
}: PermissionInTurn): Promise<PermissionDecision> {
  const resume = turn.pause();
  try {
    await turn.deliver({ type: "permission_request", ...request }, signal);
    const decision = await decide(request, onPermission, signal);
    const told = { type: "permission_decision", approvalId: request.approvalId, ...decision } as const;
    return (await turn.deliver(told, signal)) ? decision : ENDED;
  } finally {
    resume();
  }
}

async function decide(
  request: PermissionRequest,
  onPermission: AskPermission,
  signal: AbortSignal,
): Promise<PermissionDecision> {
  const takenBack = Promise.withResolvers<PermissionDecision>();
  const stop = (): void => takenBack.resolve(ENDED);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const answer = onPermission(request, { signal });
    answer.catch(() => undefined);
    return await Promise.race([takenBack.promise, answer]);
  } catch (error) {
    const reason = `asking failed: ${messageOf(error)}`;
    return { outcome: "denied", by: "policy", reason };
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** The agent's option that stands for a decision; `null` if the agent offers none, or if nothing was decided. */
export function optionFor(
  { outcome, optionId }: PermissionDecision,
  options: readonly PermissionOption[],
): PermissionOption | null {
  if (outcome === "cancelled") return null;
  const named = options.find((option) => option.id === optionId);
  if (named !== undefined) return named;
  // `once` is preferred to `always`, so that no more is granted than was requested.
  const kinds =
    outcome === "granted"
      ? (["allow_once", "allow_always"] as const)
      : (["reject_once", "reject_always"] as const);
  for (const kind of kinds) {
    const option = options.find((one) => one.kind === kind);
    if (option !== undefined) return option;
  }
  return null;
}
