/** An approval as the store keeps it: a claim, whose name has the id of the approval. */

import { randomUUID } from "node:crypto";
import {
  type Claim,
  ContinuoError,
  type NewEvent,
  type PermissionDecision,
  type PermissionRequest,
  present,
  RUN_END_STATUSES,
  type Run,
  type RunStatus,
} from "@continuo/core/model";
import type { Approval, ApprovalAnswer, ApprovalStatus } from "./approval-types.ts";
import { callerMetadata } from "./readers.ts";

export interface ApprovalData {
  readonly sessionId: string;
  readonly runId: string;
  readonly agent: string;
  readonly request: PermissionRequest;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly requestedAt: string;
  readonly resolvedAt?: string;
  readonly by?: string;
  readonly reason?: string;
  readonly optionId?: string;
  /** The ends of a run, besides `interrupted`, after which its worker gives the message to the agent again. */
  readonly retriedAfter?: readonly RunStatus[];
  /** The ids of the events with which earlier attempts asked. */
  readonly earlierIds?: readonly string[];
  /** The ids of the events that have an `approval_resolved`. */
  readonly resolvedIds?: readonly string[];
  /** The run that used the answer: its agent received it, or its call began. */
  readonly usedBy?: string;
  /** An earlier approval of the same call, which began before a crash and has no result. */
  readonly grantedBefore?: string;
}

export interface StoredApproval extends Claim {
  readonly data: ApprovalData;
}

export const PREFIX = "approval/";
export const TIME_LIMIT = "time limit";
const MAX_EARLIER_IDS = 100;

/** The next attempt may ask with another id; the earlier ones still name the question. */
export function earlierIds(
  known: StoredApproval | null,
  { approvalId }: PermissionRequest,
): readonly string[] | undefined {
  if (known === null) return undefined;
  const { request, earlierIds: earlier = [] } = known.data;
  const ids = new Set([...earlier, request.approvalId]);
  ids.delete(approvalId);
  return [...ids].slice(-MAX_EARLIER_IDS);
}

/** Returns one event for each event with which the question was asked. */
export function resolvedEvents({ status, data }: StoredApproval, approvalIds: readonly string[]): NewEvent[] {
  const { by, reason, optionId, runId } = data;
  const actor =
    by === TIME_LIMIT ? ({ kind: "system" } as const) : { kind: "person" as const, ...present({ id: by }) };
  return approvalIds.map((approvalId) => ({
    id: randomUUID(),
    type: "approval_resolved",
    data: { approvalId, outcome: status, by: by ?? "person", ...present({ reason, optionId }) },
    runId,
    actor,
  }));
}

/**
 * An interrupted run may be tried again, and so may a failed one if its worker repeats it: the worker closes the runs
 * that it gives up.
 */
export function isOver(run: Run | null, { data: { retriedAfter = [] } }: StoredApproval): boolean {
  if (run === null) return true;
  return (
    RUN_END_STATUSES.includes(run.status) &&
    run.status !== "interrupted" &&
    !retriedAfter.includes(run.status)
  );
}

export function decisionOf({ status, data }: StoredApproval): PermissionDecision {
  const { optionId, reason, by } = data;
  return {
    outcome: status === "granted" ? "granted" : "denied",
    by: by === TIME_LIMIT ? "time limit" : "person",
    recorded: true,
    ...present({ optionId, reason }),
  };
}

export function toWrite({
  name,
  owner,
  generation,
  status,
  data,
}: StoredApproval): Omit<StoredApproval, "updatedAt"> {
  return { name, owner, generation, status, data };
}

/** Errors: `conflict` for another answer. */
export function alreadyResolved(claim: StoredApproval, { outcome }: ApprovalAnswer): Approval {
  if (claim.status === outcome) return toApproval(claim);
  throw new ContinuoError(
    "conflict",
    `the approval ${claim.name.slice(PREFIX.length)} is already ${claim.status}`,
    {
      hint: "Read it in the list of approvals.",
      details: { status: claim.status },
    },
  );
}

export function toApproval({ name, status, data }: StoredApproval): Approval {
  const { sessionId, runId, agent, metadata, requestedAt, resolvedAt, by, reason, request } = data;
  const { grantedBefore } = data;
  const { toolName, toolInput, title, options } = request;
  return {
    id: name.slice(PREFIX.length),
    status: status as ApprovalStatus,
    sessionId,
    runId,
    agent,
    options,
    metadata: callerMetadata(metadata),
    requestedAt,
    ...present({ toolName, toolInput, title, resolvedAt, by, reason, grantedBefore }),
  };
}
