/**
 * An agent's questions for permission. Every program that uses the session can answer them. The question and its
 * answer are stored in the log. The first answer counts, no matter which process wrote it.
 */

import { randomUUID } from "node:crypto";
import {
  isContinuoError,
  isEvent,
  isPassing,
  type Payload,
  type PermissionDecision,
  type PermissionRequest,
  present,
  readAll,
  type Store,
} from "@continuo/core/model";
import type { AskPermission } from "../drivers/link/index.ts";

/** The session of the turn that asks. */
export interface AskingSession {
  readonly store: Store;
  readonly sessionId: string;
}

export interface StoredQuestion extends AskingSession {
  readonly runId: string;
  readonly approvalId: string;
}

/**
 * Returns a function that asks the same questions. If another process stores an answer first, that answer counts, and
 * the person here is no longer asked.
 */
export function withSharedAnswers(
  ask: AskPermission,
  session: () => Promise<AskingSession | null>,
): AskPermission {
  return async (request, options) => {
    const asking = await session();
    const question = asking === null ? null : await findQuestion(asking, request.approvalId);
    if (question === null) return await ask(request, options);
    const over = new AbortController();
    const signal = AbortSignal.any([options.signal, over.signal]);
    const here = ask(request, { ...options, signal }).then((decision) => settled(question, decision));
    here.catch(() => undefined);
    try {
      return await Promise.race([here, answerOf(question, over.signal)]);
    } finally {
      over.abort();
    }
  };
}

export interface CountedAnswer {
  readonly decision: PermissionDecision;
  /** True if it is the given answer, and not an earlier one. */
  readonly isGiven: boolean;
}

/**
 * Stores the answer of a person, and returns the answer that counts. `null` if the question can no longer be answered,
 * because its run has ended. Errors: those of the store.
 */
export async function answerQuestion(
  question: StoredQuestion,
  { outcome, optionId, reason }: PermissionDecision,
): Promise<CountedAnswer | null> {
  const { store, sessionId, runId, approvalId } = question;
  const data = present({ approvalId, outcome, optionId, by: "person" as const, reason });
  const event = { type: "approval_resolved", data, runId, actor: { kind: "person" as const } };
  for (;;) {
    const expectedSequence = await store.latestSequence(sessionId);
    const before = await storedAnswer(question);
    if (before !== null) return { decision: before, isGiven: false };
    if ((await store.getRun(runId))?.status !== "running") return null;
    try {
      await store.append(sessionId, [{ id: randomUUID(), ...event }], { expectedSequence });
    } catch (error) {
      // Another process stored an event at the same moment. It may be an answer, so the log is read again.
      if (isContinuoError(error, "conflict")) continue;
      throw error;
    }
    const decision = present({ outcome, optionId, by: "person" as const, reason, recorded: true as const });
    return { decision, isGiven: true };
  }
}

/** Finds the question in the log. A turn stores it before the person is asked; `null` if it is not in the log. */
async function findQuestion(
  { store, sessionId }: AskingSession,
  approvalId: string,
): Promise<StoredQuestion | null> {
  const { events } = await store.read(sessionId, {
    types: ["approval_requested"],
    texts: [JSON.stringify(approvalId)],
    order: "newest",
    limit: 10,
  });
  const asked = events.findLast(
    (event) => isEvent(event, "approval_requested") && event.data.approvalId === approvalId,
  );
  return asked?.runId === undefined ? null : { store, sessionId, runId: asked.runId, approvalId };
}

export interface OpenQuestion extends PermissionRequest {
  /** An ISO time. */
  readonly askedAt: string;
}

/** The questions of a running turn that nobody has answered, as the agent asked them. */
export async function openQuestionsOf({
  store,
  sessionId,
  runId,
}: Omit<StoredQuestion, "approvalId">): Promise<readonly OpenQuestion[]> {
  const types = ["approval_requested", "approval_resolved"];
  const open = new Map<string, OpenQuestion>();
  for await (const event of readAll(store, sessionId, { runId, types })) {
    if (isEvent(event, "approval_resolved")) open.delete(event.data.approvalId);
    if (!isEvent(event, "approval_requested")) continue;
    open.set(event.data.approvalId, { ...requestIn(event.data), askedAt: event.occurredAt });
  }
  return [...open.values()];
}

/** The question of an `approval_requested`: the log has it as the agent asked it. */
export function requestIn(data: Payload<"approval_requested">): PermissionRequest {
  const { options, ...others } = data;
  const asked = { readOnly: null, ...others };
  return { ...asked, options: (options ?? []) as PermissionRequest["options"] };
}

/** Stores the answer of a person. An answer that a policy or a time limit gave is stored with the turn. */
async function settled(question: StoredQuestion, decision: PermissionDecision): Promise<PermissionDecision> {
  if (decision.by !== "person" || decision.outcome === "cancelled") return decision;
  try {
    return (await answerQuestion(question, decision))?.decision ?? decision;
  } catch (error) {
    // The turn stores the answer as soon as the store can be reached again.
    if (isPassing(error)) return decision;
    throw error;
  }
}

/** Resolves with the answer that is stored in the log. Without an answer, it neither resolves nor rejects. */
async function answerOf(question: StoredQuestion, signal: AbortSignal): Promise<PermissionDecision> {
  const { store, sessionId } = question;
  try {
    const after = await store.latestSequence(sessionId);
    const before = await storedAnswer(question);
    if (before !== null) return before;
    for await (const _ of store.tail(sessionId, { after, types: ["approval_resolved"], signal })) {
      const answer = await storedAnswer(question);
      if (answer !== null) return answer;
    }
  } catch {
    // The store cannot be reached, so only the person here can answer.
  }
  return await new Promise<never>(() => undefined);
}

/** The first answer in the log. */
export async function storedAnswer({
  store,
  sessionId,
  runId,
  approvalId,
}: StoredQuestion): Promise<PermissionDecision | null> {
  const { events } = await store.read(sessionId, {
    runId,
    types: ["approval_resolved"],
    texts: [JSON.stringify(approvalId)],
  });
  for (const event of events) {
    if (!isEvent(event, "approval_resolved") || event.data.approvalId !== approvalId) continue;
    const { outcome, optionId, by, reason } = event.data as Readonly<Record<string, unknown>>;
    return {
      outcome: outcome === "granted" ? "granted" : "denied",
      by: by === "person" ? "person" : "policy",
      recorded: true,
      ...(typeof optionId === "string" ? { optionId } : {}),
      ...(typeof reason === "string" ? { reason } : {}),
    };
  }
  return null;
}
