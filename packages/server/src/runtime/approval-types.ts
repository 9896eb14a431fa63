/** The public types of questions of agents to people. */

import type { PermissionOption } from "@continuo/core/model";

export type ApprovalStatus = "open" | "granted" | "denied" | "cancelled";

/** A question of an agent: may it use this tool? */
export interface Approval {
  readonly id: string;
  readonly status: ApprovalStatus;
  readonly sessionId: string;
  /** The run that asked; if there were several attempts, the newest. */
  readonly runId: string;
  readonly agent: string;
  readonly toolName?: string;
  readonly toolInput?: unknown;
  readonly title?: string;
  readonly options: readonly PermissionOption[];
  /** The values that the program gave the session, at the time of the question; without `usage` and `model`. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly requestedAt: string;
  readonly resolvedAt?: string;
  readonly by?: string;
  readonly reason?: string;
  /**
   * The id of an earlier approval of the same call: it was granted and the call began, but a crash came before the
   * result. The call may have taken effect.
   */
  readonly grantedBefore?: string;
}

export interface ListApprovalsOptions {
  readonly status?: ApprovalStatus | undefined;
  readonly sessionId?: string | undefined;
  /** Only approvals of sessions whose metadata have these values. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Called with each approval. An approval for which it returns false is left out, and does not count for the limit of
   * the list.
   */
  readonly filter?: ((approval: Approval) => boolean) | undefined;
}

export interface ApprovalAnswer {
  readonly outcome: "granted" | "denied";
  /** The author of the answer, as recorded in the log. */
  readonly by?: string | undefined;
  readonly reason?: string | undefined;
  readonly optionId?: string | undefined;
}

export interface Approvals {
  /** `id`: the id in the list, or the `approvalId` of the event. `null` if there is no such approval. */
  get(id: string): Promise<Approval | null>;
  /**
   * Returns at most 1,000 approvals, the oldest first. The list is a mutable copy, because frameworks that answer with
   * JSON do not accept a readonly list.
   */
  list(options?: ListApprovalsOptions): Promise<Approval[]>;
  /**
   * Answers from any process, even if the run that asked was killed: its next attempt finds the answer. The id is that
   * of the list, or the `approvalId` of the event. The same answer again returns the approval; another one is a
   * `conflict`. Errors: `not_found`, `conflict`; `run_ended` for a question whose run has ended, or is being stopped.
   */
  resolve(id: string, answer: ApprovalAnswer): Promise<Approval>;
}
