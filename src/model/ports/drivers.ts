/** Drivers: how each agent's own program is started, listed, resumed and talked to. */

import type { Block, Message } from "../messages/index.ts";
import type { SessionCapabilities } from "./agent.ts";
import type { AgentEvent, PermissionDecision, PermissionRequest } from "./agent-events.ts";
import type { CallOptions, Page } from "./page.ts";
import type { Resumption } from "./resumption.ts";

/**
 * What an agent may do. `safe`: it only reads; `ask`: it starts as its own settings say, and a person answers what it
 * asks; `unrestricted`: all that it asks is granted.
 */
export type PermissionPolicy = "safe" | "ask" | "unrestricted";

export type OnMissing = "error" | "replay" | "new";

export interface OpenConversation extends CallOptions {
  readonly cwd: string;
  /** At most one of these three; a new session where none is given. */
  readonly resumeSessionId?: string;
  readonly continueLast?: boolean;
  readonly forkSessionId?: string;
  /** Whether the agent shall send the history on opening; then `session/load` is preferred. */
  readonly wantHistory?: boolean;
  /** Which way is tried first, where an agent has both: left out, `load` where the history is wanted, else `resume`. */
  readonly resumeBy?: "load" | "resume";
  /**
   * Who says which session is the last one: `list`, we do; `agent`, the agent itself, where it has a way of its own;
   * left out: we do, and the agent where there is no list.
   */
  readonly continueBy?: "list" | "agent";
  /** What to do when the session to be resumed cannot be. `error` where none is given. */
  readonly onMissing?: OnMissing;
  /** What is replayed with `onMissing: "replay"`, read from disk by Continuo; asked for only then. */
  readonly readHistory?: (sessionId: string) => Promise<readonly Message[]>;
  readonly model?: string;
  readonly mode?: string;
  /** How much the model shall think, as the agent names it: `low`, `high`, … */
  readonly effort?: string;
  /**
   * How the agent is started: not every agent asks before it acts. `ask` where none is given. With `safe` an agent
   * that cannot be held to it is `unsupported`.
   */
  readonly permissions?: PermissionPolicy;
  /**
   * Asked for every permission, whatever the policy; where it is not given the policy decides, and with `ask` all is
   * denied. Its time limit is the caller's.
   */
  readonly onPermission?: (
    request: PermissionRequest,
    options: { readonly signal: AbortSignal },
  ) => Promise<PermissionDecision>;
}

/** A row of an agent's own list. */
export interface AgentSession {
  readonly sessionId: string;
  readonly cwd: string | null;
  readonly title: string | null;
  readonly updatedAt: string | null;
}

/** What an agent is not given in the folder where it is open. */
export interface Restriction {
  /** Without symbolic links. */
  readonly folder: string;
  /** Whether its person trusts the folder. */
  readonly isTrusted: boolean;
  /** Files and folders of the project's configuration, as paths: the agent starts without them. */
  readonly files: readonly string[];
  /** Names of environment variables that it does not inherit. */
  readonly variables: readonly string[];
}

/** A command of the agent's own: a prompt `/name words` carries it out. */
export interface AgentCommand {
  readonly name: string;
  readonly description: string;
  /** What may follow the name; empty where the agent tells nothing. */
  readonly argument: string;
}

/** How full the model's context was at the last call. */
export interface ContextUse {
  readonly usedTokens: number;
  readonly windowTokens: number;
}

/** An agent that is open. One turn at a time. Its process ends with `close()`. */
export interface Conversation extends AsyncDisposable {
  /** Of the native session; another one after a fork or `resumeSession`. */
  readonly sessionId: string;
  readonly resumption: Resumption;
  readonly capabilities: SessionCapabilities;
  /** The history that the agent sent on opening; empty if it was not requested, or the agent sent none. */
  readonly history?: readonly Message[];
  /** What the agent is not given in this folder; `null`, or left out: nothing is kept from it. */
  readonly restriction?: Restriction | null;
  /** As the agent tells it; `null`, or left out, where it does not. */
  readonly context?: ContextUse | null;
  /** Left out where the agent has none, or tells none. */
  commands?(options?: CallOptions): Promise<readonly AgentCommand[]>;
  /**
   * One turn; ends after `turn_completed`. Leaving the iteration, or the signal, cancels the turn.
   * Errors: `agent_failed` when the agent dies (`details.stderr`), `conflict` while another turn runs.
   */
  prompt(blocks: readonly Block[], options?: CallOptions): AsyncIterable<AgentEvent>;
  /** Continues another session, in the middle of a conversation. Errors: as `open`. */
  resumeSession(sessionId: string, options?: CallOptions): Promise<Resumption>;
  /** Ends the turn that runs, if one does; the iteration ends with `turn_completed`, `cancelled`. */
  cancel(): Promise<void>;
  /** Ends the process and all its children. Idempotent. */
  close(): Promise<void>;
}

export interface AgentDriver {
  readonly agent: string;
  /** What the program says of itself, kept for each version of it. Errors: `agent_missing`, `agent_failed`. */
  capabilities(options?: CallOptions & { readonly cwd?: string }): Promise<SessionCapabilities>;
  /** The agent's own list; it may hide some. Errors: `unsupported` where it has none. */
  listSessions(
    options: CallOptions & { readonly cwd?: string; readonly cursor?: string },
  ): Promise<Page<AgentSession>>;
  /**
   * Errors: `agent_missing`, `agent_failed`, `native_unavailable` (the session cannot be resumed and
   * `onMissing` is `error`; `details.steps`), `not_found` (nothing to continue, or no such session), `unsupported`
   * (a policy, a model, a mode or an effort that the agent has not).
   */
  open(options: OpenConversation): Promise<Conversation>;
}
