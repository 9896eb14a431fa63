/**
 * The agent port of the session manager: anything that answers an input. Drivers of real agents, a model called
 * directly and the scripted agents of tests are all agents in this sense.
 */

import type { Block, Message, NativeRef, ToolDefinition, Usage } from "../messages/index.ts";
import type { AgentEvent, AskPermission, PermissionRequest } from "./agent-events.ts";
import type { CallOptions } from "./page.ts";
import type { Run } from "./runs.ts";
import type { Session } from "./sessions.ts";

/** The capabilities of an agent, read from its own answer or tried; never assumed from its name. */
export interface SessionCapabilities {
  readonly canList: boolean;
  /** Opens a session by id and sends its history. */
  readonly canLoad: boolean;
  readonly canContinueLast: boolean;
  /** Opens a session by id without sending its history. */
  readonly canResume: boolean;
  readonly canFork: boolean;
  readonly canClose: boolean;
  readonly canDelete: boolean;
}

/** The capabilities of an agent that keeps no sessions, or was not asked yet. */
export const NO_CAPABILITIES: SessionCapabilities = {
  canList: false,
  canLoad: false,
  canContinueLast: false,
  canResume: false,
  canFork: false,
  canClose: false,
  canDelete: false,
};

export interface AgentCapabilities extends SessionCapabilities {
  /** True if `execute` can continue a native session (`request.nativeRef`). */
  readonly native: boolean;
}

/** All of an agent's capabilities. */
export async function capabilitiesOf(agent: Agent, options: CallOptions = {}): Promise<AgentCapabilities> {
  return { ...NO_CAPABILITIES, native: false, ...(await agent.capabilities?.(options)) };
}

/** The earlier conversation as messages; a `Transcript` is one. */
export interface AgentTranscript {
  readonly sessionId: string;
  readonly messages: readonly Message[];
  readonly lastSequence: number;
  readonly lastTimestamp: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface AgentRequest {
  /** `context.transcript` is `transcript` again. */
  readonly session: Session & { readonly context: { readonly transcript?: AgentTranscript } };
  readonly run: Run;
  /** The new prompt. It is not in the transcript. */
  readonly input: readonly Block[];
  /**
   * With a `nativeRef`, the messages that the native session does not have (those since this agent's own last turn);
   * without one, the whole context to be replayed. Left out if there are none, or if no continuation was requested.
   */
  readonly transcript?: AgentTranscript;
  /** The native session to continue. */
  readonly nativeRef?: NativeRef;
}

/** All tools that an agent offers its model. */
export interface ToolOffer {
  readonly tools: readonly ToolDefinition[];
  /** The number of offered tools that `tools` lacks, because they are too many or too large. */
  readonly toolsLeftOut?: number;
}

/** `adapterOpts` of the caller are spread next to these, untouched. */
export interface ExecuteOptions {
  readonly signal: AbortSignal;
  /**
   * Resolves when the event is kept; for parts of a message, when there is room for more. An agent that streams a lot
   * waits for it, so that memory stays flat. Rejects when the run has ended, or its event cannot be stored.
   */
  readonly onEvent: (event: AgentEvent) => Promise<void>;
  /** Asks for permission to use a tool. The agent reports the question before it asks, and the decision afterwards. */
  readonly onPermission?: AskPermission;
  /**
   * Called before the model with the tools that it is offered. The log gets them if this agent last offered others in
   * the session, or these more than 5,000 events or 16 changes of mode ago. It resolves and rejects as `onEvent`.
   */
  readonly onTools?: (offer: ToolOffer) => Promise<void>;
  /**
   * Tool calls of a crashed run of the same input that waited for permission and had not begun. An agent that can
   * continue at a call asks for permission again, with the same `approvalId`.
   */
  readonly heldCalls?: readonly PermissionRequest[];
  readonly [adapterOption: string]: unknown;
}

/** The `stopReason` of a turn that its agent did not finish within its limit of steps; the run gets its own status. */
export const MAX_STEPS_REACHED = "max_steps";

/** The status of a run that is stored as completed. */
export function completedStatus(stopReason: unknown): "completed" | typeof MAX_STEPS_REACHED {
  return stopReason === MAX_STEPS_REACHED ? MAX_STEPS_REACHED : "completed";
}

/** True for the status of a run whose agent came to the end of its turn, also at its limit of steps. */
export function isTurnComplete(status: string): status is "completed" | typeof MAX_STEPS_REACHED {
  return status === "completed" || status === MAX_STEPS_REACHED;
}

export interface AgentResult {
  /** The agent's own word: `end_turn`, `max_tokens`, `refusal`, … The run's result takes `max_steps` as its status. */
  readonly stopReason?: string;
  readonly usage?: Usage;
  readonly costUsd?: number;
  /** The native session that can be continued after this turn. */
  readonly nativeRef?: NativeRef;
  /** Kept as the run's result, plain JSON. */
  readonly value?: unknown;
}

export interface Agent {
  /** The key of its native reference in `session.metadata.providerSessions`. */
  readonly name: string;
  /** A capability that is left out is missing. An agent without this method keeps no sessions of its own. */
  capabilities?(options?: CallOptions): Promise<Partial<AgentCapabilities>>;
  /**
   * One turn. With a `nativeRef` the agent reports `native_session`, the native session that it really uses, before
   * anything of the turn (`diagnostics`, `mode` and `title` may come first). If it cannot open that session, it throws
   * `native_unavailable` before anything reached the model, and may be called again without the reference. Its earlier
   * output is kept.
   * Errors: `native_unavailable`, `agent_missing`, `agent_failed`; whatever it throws fails the run.
   */
  execute(request: AgentRequest, options: ExecuteOptions): Promise<AgentResult>;
}
