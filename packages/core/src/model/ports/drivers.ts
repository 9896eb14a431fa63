/** Drivers: how each agent's own program is started, listed, resumed and talked to. */

import type { Block, Message } from "../messages/index.ts";
import type { SessionCapabilities } from "./agent.ts";
import type { AgentEvent, AskPermission } from "./agent-events.ts";
import type { CallOptions, Page } from "./page.ts";
import type { Resumption } from "./resumption.ts";

/**
 * The policy for the actions of an agent. `safe`: it only reads; `ask`: it starts with its own settings, and a
 * person answers its questions; `unrestricted`: every request is granted.
 */
export type PermissionPolicy = "safe" | "ask" | "unrestricted";

export type OnMissing = "error" | "replay" | "new";

/** A server of the Model Context Protocol that the caller gives to an agent in addition to the agent's own. */
export type ToolServer =
  | {
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | {
      readonly name: string;
      readonly type: "http" | "sse";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };

/**
 * An editor that offers its files, terminals and forms to an agent, in place of those of this machine. Methods,
 * parameters and answers are those of version 1 of the Agent Client Protocol. Only agents that speak it use the files
 * and terminals; the drivers of Claude Code, Codex and pi make forms of their agents' own questions.
 */
export interface EditorPort {
  /** `fs`, `terminal` and `elicitation` of the client's capabilities: the agent learns of no others. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** The parameters name the session of the agent. Errors: the editor's own, with the `code` of the protocol. */
  request(method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown>;
  /** Reports that the page which the agent asked the person to visit has done its work. */
  completed(elicitationId: string): Promise<void>;
  /**
   * Returns the way in which the person logged in to an agent: it is used again if the agent asks for it at a later
   * start.
   */
  login?(agent: string): string | undefined;
}

export interface OpenConversation extends CallOptions {
  readonly cwd: string;
  /** At most one of these three; a new session if none is given. */
  readonly resumeSessionId?: string;
  readonly continueLast?: boolean;
  readonly forkSessionId?: string;
  /** True if the agent must send the history on opening; then `session/load` is preferred. */
  readonly wantHistory?: boolean;
  /**
   * The way that is tried first if an agent has both. By default `load` if the history is wanted, else
   * `resume`.
   */
  readonly resumeBy?: "load" | "resume";
  /**
   * The list that decides which session is the last one. `list`: Continuo's own list; `agent`: the agent's own list, if
   * it has one; left out: Continuo's list, or the agent's if Continuo has none.
   */
  readonly continueBy?: "list" | "agent";
  /** The action if the requested session cannot be resumed. `error` by default. */
  readonly onMissing?: OnMissing;
  /** Reads the messages that `onMissing: "replay"` replays, from disk by Continuo; called only then. */
  readonly readHistory?: (sessionId: string) => Promise<readonly Message[]>;
  readonly model?: string;
  readonly mode?: string;
  /** The effort of the model, by the agent's own name: `low`, `high`, … */
  readonly effort?: string;
  /**
   * The policy with which the agent is started: not every agent asks before it acts. `ask` by default. An agent that
   * cannot be kept to `safe` is `unsupported`.
   */
  readonly permissions?: PermissionPolicy;
  /**
   * Every session that the driver opens has these servers. With `safe` none of them is started;
   * `Conversation.leftOutServers` names those that the agent was not given.
   */
  readonly toolServers?: readonly ToolServer[];
  /** With `safe` the agent only reads files through it. */
  readonly editor?: EditorPort;
  /**
   * Called for every permission, whatever the policy; if it is left out, the policy decides, and `ask` denies
   * everything. Its time limit is the caller's.
   */
  readonly onPermission?: AskPermission;
}

/** A row of an agent's own list. */
export interface DriverSession {
  readonly sessionId: string;
  readonly cwd: string | null;
  readonly title: string | null;
  readonly updatedAt: string | null;
}

/** The files and variables that an agent does not receive in the folder where it is open. */
export interface Restriction {
  /** Without symbolic links. */
  readonly folder: string;
  /** True if its person trusts the folder. */
  readonly isTrusted: boolean;
  /** Files and folders of the project's configuration, as paths: the agent starts without them. */
  readonly files: readonly string[];
  /** Names of environment variables that the agent's program does not inherit. */
  readonly variables: readonly string[];
}

/** A command of the agent's own: the prompt `/name words` runs it. */
export interface AgentCommand {
  readonly name: string;
  readonly description: string;
  /** The form of the words after the name; empty if the agent does not report it. */
  readonly argument: string;
}

/** The fill level of the model's context at the last call. */
export interface ContextUse {
  readonly usedTokens: number;
  readonly windowTokens: number;
}

/** An agent that is open. One turn at a time. Its process ends with `close()`. */
export interface Conversation extends AsyncDisposable {
  /** The id of the native session; another one after a fork or `resumeSession`. */
  readonly sessionId: string;
  readonly resumption: Resumption;
  readonly capabilities: SessionCapabilities;
  /** The history that the agent sent on opening; empty if it was not requested, or the agent sent none. */
  readonly history?: readonly Message[];
  /**
   * The files and variables that the agent does not receive in this folder; `null` or left out if it receives
   * all.
   */
  readonly restriction?: Restriction | null;
  /**
   * Names of the tool servers that the agent was not given, because it or its policy accepts no servers of their kind.
   */
  readonly leftOutServers?: readonly string[];
  /** The agent's own report; `null` or left out if it makes none. */
  readonly context?: ContextUse | null;
  /** Left out if the agent has no commands, or does not report them. */
  commands?(options?: CallOptions): Promise<readonly AgentCommand[]>;
  /**
   * One turn; ends after `turn_completed`. Leaving the iteration, or the signal, cancels the turn.
   * Errors: `agent_failed` when the agent dies (`details.stderr`), `conflict` while another turn runs.
   */
  prompt(blocks: readonly Block[], options?: CallOptions): AsyncIterable<AgentEvent>;
  /** Continues another session in the same program. Errors: as `open`. */
  resumeSession(sessionId: string, options?: CallOptions): Promise<Resumption>;
  /** Ends the running turn, if there is one; the iteration ends with `turn_completed`, `cancelled`. */
  cancel(): Promise<void>;
  /** Ends the process and all its children. Idempotent. */
  close(): Promise<void>;
}

export interface AgentDriver {
  readonly agent: string;
  /** Returns the program's own report, kept for each version of it. Errors: `agent_missing`, `agent_failed`. */
  capabilities(options?: CallOptions & { readonly cwd?: string }): Promise<SessionCapabilities>;
  /** The agent's own list; it may hide some sessions. Errors: `unsupported` if it has none. */
  listSessions(
    options: CallOptions & { readonly cwd?: string; readonly cursor?: string },
  ): Promise<Page<DriverSession>>;
  /**
   * Errors: `agent_missing`, `agent_failed`, `native_unavailable` (the session cannot be resumed and `onMissing` is
   * `error`; `details.steps`), `not_found` (nothing to continue, or no such session), `unsupported` (the agent does not
   * have the policy, model, mode or effort).
   */
  open(options: OpenConversation): Promise<Conversation>;
  /**
   * Logs in by a method that the agent offers; the agent may open a page in the browser and wait for the person. Left
   * out for an agent whose login is made only in its own program. Errors: `agent_failed`.
   */
  logIn?(methodId: string, options?: CallOptions): Promise<void>;
  /**
   * Ends the login of the agent. Left out where `logIn` is. Errors: `unsupported` if the agent has no such request,
   * `agent_failed`.
   */
  logOut?(options?: CallOptions): Promise<void>;
}
