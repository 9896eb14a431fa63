/**
 * The events of an agent during a turn, in one vocabulary for all agents. Drivers report them, the session
 * manager stores them as events of the log. Plain JSON.
 */

import type { Block, NativeRef, ToolStatus, Usage } from "../messages/index.ts";
import type { ReplayForm, ResumptionStep, VerifiedBy } from "./resumption.ts";

/** The answer is the `id`; `kind` says what it means. */
export interface PermissionOption {
  readonly id: string;
  readonly name: string;
  readonly kind: "allow_once" | "allow_always" | "reject_once" | "reject_always";
}

export interface PermissionRequest {
  readonly approvalId: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly toolInput?: unknown;
  /** One line that says what the tool will do. */
  readonly title?: string;
  /** True if the tool only reads; `null` if the agent does not report it. */
  readonly readOnly: boolean | null;
  readonly options: readonly PermissionOption[];
  /** Diffs and texts that the agent shows in addition to the input. */
  readonly content?: readonly unknown[];
  /** Set if the agent reads the reason of a denial. */
  readonly readsReason?: true;
  /**
   * The `approvalId` of an earlier question about the same call, which was granted in a run that ended before the call
   * had a result: the call may already have run. It is set for the person who answers, and is not stored.
   */
  readonly grantedBefore?: string;
}

export interface PermissionDecision {
  readonly outcome: "granted" | "denied" | "cancelled";
  /** The option that was chosen; the first of the matching kind if none is given. */
  readonly optionId?: string;
  readonly by: "person" | "policy" | "time limit" | "agent";
  readonly reason?: string;
  /** Set if the log has the answer already, because its author wrote it there. */
  readonly recorded?: true;
  /**
   * For an agent that `reportsStart`: called before a permitted call begins, or after the result of a denied one is
   * stored. Until then, another attempt finds the same answer. If it rejects, the call must not begin.
   */
  readonly onStart?: () => Promise<void>;
}

/** Decides about a tool. The signal aborts when the question is taken back, or the turn is over. */
export type AskPermission = (
  request: PermissionRequest,
  options: {
    readonly signal: AbortSignal;
    /** The agent calls `onStart` of the decision. */
    readonly reportsStart?: true;
  },
) => Promise<PermissionDecision>;

export type AgentEvent =
  /** A part of a message. Parts with the same `messageId` belong together. */
  | { readonly type: "text"; readonly delta: string; readonly messageId?: string }
  | { readonly type: "thinking"; readonly delta: string; readonly messageId?: string }
  /** A message that is whole: it replaces the parts with its `messageId`. */
  | {
      readonly type: "message";
      readonly content: readonly Block[];
      readonly messageId?: string;
      readonly model?: string;
      readonly usage?: Usage;
      readonly stopReason?: string;
    }
  | {
      readonly type: "tool_call";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly toolInput?: unknown;
      readonly title?: string;
      readonly messageId?: string;
    }
  | {
      readonly type: "tool_call_update";
      readonly toolCallId: string;
      readonly status?: string;
      readonly title?: string;
      readonly toolInput?: unknown;
      /** The content so far: text, a diff, the agent's own shape. */
      readonly content?: unknown;
    }
  | {
      readonly type: "tool_result";
      readonly toolCallId: string;
      readonly toolName?: string;
      readonly content: string | readonly Block[];
      readonly status: ToolStatus;
    }
  | { readonly type: "plan"; readonly entries: readonly unknown[] }
  /** `usage` of one model call, `total` of the turn so far. */
  | {
      readonly type: "usage";
      readonly usage?: Usage;
      readonly total?: Usage;
      readonly model?: string;
      readonly costUsd?: number;
    }
  | { readonly type: "title"; readonly title: string }
  | { readonly type: "mode"; readonly mode?: string; readonly model?: string }
  | ({ readonly type: "permission_request" } & PermissionRequest)
  | ({ readonly type: "permission_decision"; readonly approvalId: string } & PermissionDecision)
  /** The native session that the agent really uses, reported before the turn. */
  | {
      readonly type: "native_session";
      readonly ref: NativeRef;
      /** `forked`: it answers from another session than the requested one. */
      readonly happened: "resumed" | "created" | "forked";
      /**
       * The proof: `agent` for the agent's own answer, `disk` for its history as Continuo read it, `none` for no proof.
       */
      readonly verifiedBy: VerifiedBy;
      /** The form in which the earlier messages reached a session that was created for them. */
      readonly replayedAs?: ReplayForm;
      /** Says what failed: why no session was written for the earlier messages, or why a session was not verified. */
      readonly reason?: string;
      /** The ways that were tried, in order; left out if there was nothing to try. */
      readonly steps?: readonly ResumptionStep[];
    }
  /** A report of the agent's program about itself, or, verbatim, anything that has no place above. */
  | { readonly type: "diagnostics"; readonly message?: string; readonly details?: unknown }
  /** Something failed, and the turn continues. */
  | {
      readonly type: "error";
      readonly message: string;
      readonly code?: string;
      readonly details?: Readonly<Record<string, unknown>>;
    }
  | { readonly type: "turn_completed"; readonly stopReason: string; readonly usage?: Usage };

export type AgentEventType = AgentEvent["type"];
