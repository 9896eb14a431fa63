/** The interface of a conversation for its callers. */

import type {
  AgentCommand,
  AgentDriver,
  AgentEvent,
  ContextUse,
  NewSession,
  Session,
} from "@continuo/core/model";
import type { OpenedStore } from "@continuo/store";
import type { RunInput } from "@continuo/store/sessions";
import type { AgentSettings, AskTrust, Configuration } from "../config/index.ts";
import type { EarlierTurn } from "./earlier-turn.ts";
import type { TalkFlags } from "./flags.ts";
import type { ProgramOptions } from "./program.ts";
import type { TurnInput, TurnResult } from "./run.ts";
import type { Policy, TalkState } from "./state.ts";

export interface TalkOptions extends Omit<ProgramOptions, "setting" | "trust"> {
  readonly flags: TalkFlags;
  /** The new session, which is stored before its first turn. If left out, the first turn stores one. */
  readonly newSession?: Pick<NewSession, "sessionId" | "metadata">;
  /**
   * The sessions in which the agent starts before the first prompt; all by default. An existing session may be in use
   * by another program.
   */
  readonly startsEarly?: "in all sessions" | "in new sessions";
  /** Called once, when the store is first needed. */
  readonly openStore: (options: { readonly cacheBytes: number }) => Promise<OpenedStore>;
  /** Asks the person whether a project is trusted; left out if nobody can answer. */
  readonly askTrust?: AskTrust;
  /** Reports the progress of long work; an empty text when it is done. */
  readonly onProgress: (text: string) => void;
}

export interface SayOptions extends TurnInput {
  readonly onEvent: (event: AgentEvent) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Turns and changes happen one after another, in the order of the calls. */
export interface Talk extends AsyncDisposable {
  readonly cwd: string;
  readonly configuration: Configuration;
  /** The state as plain data. */
  readonly state: TalkState;
  readonly agent: string;
  readonly settings: AgentSettings;
  readonly mode: string | null;
  readonly effort: string | null;
  readonly session: Session | null;
  /** The agent's own commands, as its open program reports them; waits for its start. */
  commands(): Promise<readonly AgentCommand[]>;
  /** The use of the model's context at the last call; `null` if the agent does not report it. */
  context(): Promise<ContextUse | null>;
  /** Opened when it is first needed, because the agent's program must start first. */
  store(): Promise<OpenedStore>;
  /** One turn. Errors: as `executeRun`. */
  say(input: RunInput, options: SayOptions): Promise<TurnResult>;
  /**
   * Does the same as `say`, but stores the input immediately: while another turn runs, this one waits in the store,
   * where it can be cancelled, and survives a crash.
   */
  queue(input: RunInput, options: SayOptions): Promise<TurnResult>;
  /** The newest turn of this session with this input; `null` if there is none. */
  earlierTurn(inputId: string): Promise<EarlierTurn | null>;
  /** Errors: those of `findOrigin`. */
  resume(id: string): Promise<void>;
  /** Errors: `not_found`; those of opening it, if the agent chooses the session. */
  continueLast(): Promise<void>;
  /** Continues with a copy of the named session, by default of this one. Errors: those of `findOrigin`; `not_found`. */
  fork(id: string | null): Promise<void>;
  /** Continues the same conversation with another agent. Errors: `not_found`. */
  switchAgent(name: string): Promise<void>;
  setPermissions(policy: Policy): Promise<void>;
  /**
   * Sets the agent's own mode; `null` leaves the choice to the agent. Errors: those of opening the session; the mode
   * then stays as it was.
   */
  setMode(mode: string | null): Promise<void>;
  /**
   * Sets the effort by the agent's name for it; `null` leaves the choice to the agent. Errors: as `setMode`;
   * `unsupported`.
   */
  setEffort(effort: string | null): Promise<void>;
  /** Sets the model by the agent's name for it; `null` means the flag or the configuration. Errors: as `setMode`. */
  setModel(model: string | null): Promise<void>;
  setTitle(title: string): Promise<void>;
  /** The driver that can be asked for the agent's own list; `null` if there is nothing to ask. */
  lister(): Promise<AgentDriver | null>;
  /**
   * Leaves the agent's session to another process: its program ends, unless a turn runs in it, and starts again with
   * the next turn. A turn that waits in the store does not count as running.
   */
  rest(): Promise<void>;
  close(): Promise<void>;
}
