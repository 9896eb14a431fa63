/** A driver as an agent of the session manager: one turn on a native session, or on a new one that gets the history. */

import {
  type Agent,
  type AgentCapabilities,
  type AgentDriver,
  type AgentEvent,
  type AgentRequest,
  type AgentResult,
  type Block,
  type CallOptions,
  ContinuoError,
  type Conversation,
  type ExecuteOptions,
  isContinuoError,
  type KnownOptions,
  type Message,
  messageOf,
  type NativeRef,
  type OpenConversation,
  type PermissionPolicy,
  present,
  type Usage,
} from "@continuo/core/model";
import { assertAgentOptions } from "./agent-options.ts";
import { earlierMessages, toRecordedMessages } from "./recorded-messages.ts";

/** Writes messages as a native session of the agent. On any error the messages are sent as text. */
export type ReplayWriter = (
  messages: readonly Message[],
  options: { readonly cwd: string; readonly title: string; readonly signal: AbortSignal },
) => Promise<WrittenReplay>;

export interface WrittenReplay {
  readonly ref: NativeRef;
  readonly details?: unknown;
  /**
   * Removes the written session, unless somebody wrote to it in the meantime; called if the agent cannot continue the
   * session, or if its first turn fails.
   */
  readonly discard?: () => Promise<void>;
}

export interface AgentOptions {
  /** The agent's key in references; by default the driver's. */
  readonly name?: string;
  /** The folder for sessions that name none. */
  readonly cwd: string;
  readonly onPermission?: OpenConversation["onPermission"];
  /** See `OpenConversation.permissions`. */
  readonly permissions?: PermissionPolicy;
  readonly model?: string;
  readonly mode?: string;
  /** See `OpenConversation.effort`. */
  readonly effort?: string;
  readonly resumeBy?: OpenConversation["resumeBy"];
  /** See `OpenConversation.toolServers`. */
  readonly toolServers?: OpenConversation["toolServers"];
  /** See `OpenConversation.editor`. */
  readonly editor?: OpenConversation["editor"];
  /**
   * Writes a replay as a native session that the agent resumes, so that its model receives real messages, calls and
   * results. Without this function, or if it fails, the history is sent as text before the prompt.
   */
  readonly writeReplay?: ReplayWriter;
  /**
   * `session` keeps the program of the session that had the last turn, so that its next turn starts immediately; the
   * caller must then close the agent. `turn` ends the program after each turn.
   */
  readonly keepOpen?: "session" | "turn";
}

export const AGENT_OPTIONS: KnownOptions<AgentOptions> = {
  name: true,
  cwd: true,
  onPermission: true,
  permissions: true,
  model: true,
  mode: true,
  effort: true,
  resumeBy: true,
  toolServers: true,
  editor: true,
  writeReplay: true,
  keepOpen: true,
};

/** An agent whose program may stay open between turns. */
export interface DrivenAgent extends Agent, AsyncDisposable {
  capabilities(options?: CallOptions): Promise<AgentCapabilities>;
  /** The conversation that is kept open now. */
  readonly conversation: Conversation | null;
  /** Ends the conversation that is kept open. Idempotent. */
  close(): Promise<void>;
}

/** Errors: `usage` for an unknown option. */
export function toAgent(driver: AgentDriver, options: AgentOptions): DrivenAgent {
  assertAgentOptions("toAgent", options, AGENT_OPTIONS);
  return new DriverBackedAgent(driver, options);
}

/** The place of the turn, its prompt, and what to report about it. */
interface TurnStart extends CurrentSession {
  readonly input: readonly Block[];
  readonly note?: Extract<AgentEvent, { type: "diagnostics" }>;
  /** See `WrittenReplay`. */
  readonly discard?: () => Promise<void>;
}

const WRITTEN = "The earlier conversation was written as a native session.";
const TOLD_AS_TEXT = "The earlier conversation is sent as text";
const NOT_WRITTEN = "the conversation could not be continued in a written session";

interface KeptSession {
  /** Our session. */
  readonly sessionId: string;
  readonly conversation: Conversation;
  readonly cwd: string;
}

/** The session that the agent has open, and how it was opened. */
interface CurrentSession {
  readonly kept: KeptSession;
  readonly event: Extract<AgentEvent, { type: "native_session" }>;
}

class DriverBackedAgent implements DrivenAgent {
  readonly name: string;
  readonly #driver: AgentDriver;
  readonly #options: AgentOptions;
  #kept: KeptSession | null = null;
  /** The last conversation for which a warning about tool servers was reported. */
  #warned: Conversation | null = null;

  constructor(driver: AgentDriver, options: AgentOptions) {
    this.#driver = driver;
    this.#options = options;
    this.name = options.name ?? driver.agent;
  }

  get conversation(): Conversation | null {
    return this.#kept?.conversation ?? null;
  }

  async capabilities(options: CallOptions = {}): Promise<AgentCapabilities> {
    const known = await this.#driver.capabilities({ ...options, cwd: this.#options.cwd });
    return { ...known, native: known.canLoad || known.canResume };
  }

  async execute(request: AgentRequest, options: ExecuteOptions): Promise<AgentResult> {
    const { kept, event, input, note, discard } = await this.#begin(request, options.signal);
    let isDone = false;
    try {
      await options.onEvent(event);
      for (const one of this.#newlyLeftOut(kept.conversation)) await options.onEvent(one);
      if (note !== undefined) await options.onEvent(note);
      const told = await this.#tell(kept.conversation, input, options);
      isDone = true;
      return { ...told, nativeRef: this.#refOf(kept, event) };
    } finally {
      // After any error, the state of the program is unknown, so it is not kept.
      if (!isDone || this.#options.keepOpen !== "session") await this.close();
      if (!isDone) await discard?.();
    }
  }

  /** Warns about tool servers that the agent does not get, once for each conversation. */
  #newlyLeftOut(conversation: Conversation): readonly AgentEvent[] {
    const { leftOutServers = [] } = conversation;
    if (leftOutServers.length === 0 || this.#warned === conversation) return [];
    this.#warned = conversation;
    const names = leftOutServers.join(", ");
    const why = this.#options.permissions === "safe" ? " (the policy is safe)" : "";
    const message = `${this.#driver.agent} is not given these tool servers: ${names}${why}`;
    return [{ type: "error", code: "unsupported", message }];
  }

  async close(): Promise<void> {
    const kept = this.#kept;
    this.#kept = null;
    await kept?.conversation.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** A replay is written as a native session if possible, otherwise sent as text. */
  async #begin(request: AgentRequest, signal: AbortSignal): Promise<TurnStart> {
    const { session, input, nativeRef } = request;
    const { writeReplay } = this.#options;
    const messages = earlierMessages(request);
    if (nativeRef !== undefined || messages.length === 0) {
      return { ...(await this.#go(session, nativeRef, signal)), input: inputOf(request) };
    }
    if (writeReplay === undefined) return await this.#goWithText(request, signal);
    // This throws `agent_missing` before a session is written for an agent that is not installed.
    await this.#driver.capabilities({ signal, cwd: this.#options.cwd });
    try {
      const cwd = session.cwd ?? this.#options.cwd;
      const title = session.title ?? "a conversation of Continuo";
      const { ref, details, discard } = await writeReplay(messages, { cwd, title, signal });
      const { kept, event } = await this.#go(session, ref, signal).catch(async (error: unknown) => {
        await discard?.();
        throw error;
      });
      const note = { type: "diagnostics", message: WRITTEN, details } as const;
      // An agent that answers from another session than the written one may not have its messages.
      const form = event.happened === "forked" ? {} : ({ replayedAs: "session" } as const);
      const created = { ...event, happened: "created", ...form } as const;
      return present({ kept, event: created, input, note, discard });
    } catch (error) {
      signal.throwIfAborted();
      const reason = messageOf(error);
      const note = { type: "diagnostics", message: `${TOLD_AS_TEXT}: ${reason}` } as const;
      const start = await this.#goWithText(request, signal);
      return { ...start, event: { ...start.event, reason: `${NOT_WRITTEN}: ${reason}` }, note };
    }
  }

  /** Begins a session whose first prompt has the earlier messages as text. */
  async #goWithText(request: AgentRequest, signal: AbortSignal): Promise<TurnStart> {
    const { kept, event } = await this.#go(request.session, undefined, signal);
    return { kept, event: { ...event, replayedAs: "text" }, input: inputOf(request) };
  }

  /** Errors: `native_unavailable`, before anything reached the model. */
  async #go(
    session: AgentRequest["session"],
    nativeRef: NativeRef | undefined,
    signal: AbortSignal,
  ): Promise<CurrentSession> {
    const kept = this.#kept;
    const isOpen = kept?.sessionId === session.sessionId && nativeRef !== undefined;
    if (isOpen && kept.conversation.sessionId === nativeRef.sessionId) {
      const { verifiedBy } = kept.conversation.resumption;
      const ref = this.#refOf(kept, null);
      return { kept, event: { type: "native_session", ref, happened: "resumed", verifiedBy } };
    }
    await this.close();
    const cwd = nativeRef?.cwd ?? session.cwd ?? this.#options.cwd;
    const conversation = await this.#open(cwd, nativeRef, signal);
    this.#kept = { sessionId: session.sessionId, conversation, cwd };
    const { resumption } = conversation;
    const happened =
      resumption.forked !== undefined ? "forked" : nativeRef === undefined ? "created" : "resumed";
    const ref = this.#refOf(this.#kept, null);
    const { verifiedBy, steps } = resumption;
    const told = steps === undefined ? {} : { steps };
    const event = { type: "native_session", ref, happened, verifiedBy, ...told } as const;
    return { kept: this.#kept, event };
  }

  async #open(cwd: string, nativeRef: NativeRef | undefined, signal: AbortSignal): Promise<Conversation> {
    const { onPermission, permissions, model, mode, effort, toolServers, editor } = this.#options;
    try {
      return await this.#driver.open({
        cwd,
        ...present({ signal }),
        ...(nativeRef === undefined ? {} : { resumeSessionId: nativeRef.sessionId, onMissing: "error" }),
        ...wayOf(this.#options),
        ...present({ onPermission, permissions, model, mode, effort, toolServers, editor }),
      });
    } catch (error) {
      if (nativeRef === undefined || !isContinuoError(error, "not_found")) throw error;
      const { message, details } = error;
      throw new ContinuoError("native_unavailable", message, { details, cause: error });
    }
  }

  async #tell(
    conversation: Conversation,
    input: readonly Block[],
    { signal, onEvent }: ExecuteOptions,
  ): Promise<AgentResult> {
    let ended: { readonly stopReason: string; readonly usage?: Usage } | null = null;
    let total: Usage | undefined;
    let costUsd: number | undefined;
    for await (const event of conversation.prompt(input, { signal })) {
      if (event.type === "usage") {
        total = event.total ?? total;
        // A total of the turn contains its whole cost.
        if (event.costUsd !== undefined)
          costUsd = event.total === undefined ? (costUsd ?? 0) + event.costUsd : event.costUsd;
      }
      if (event.type === "turn_completed") ended = event;
      await onEvent(event);
    }
    if (ended === null)
      throw new ContinuoError("agent_failed", `${this.name} ended its turn without a result`);
    const usage = ended.usage ?? total;
    return present({ stopReason: ended.stopReason, usage, costUsd });
  }

  #refOf({ conversation, cwd }: KeptSession, told: CurrentSession["event"] | null): NativeRef {
    const { ref } = conversation.resumption;
    const location = ref?.sessionId === conversation.sessionId ? ref.location : (told?.ref.location ?? null);
    return { agent: this.name, sessionId: conversation.sessionId, location, cwd };
  }
}

function wayOf({ resumeBy }: AgentOptions): Pick<OpenConversation, "resumeBy"> {
  return resumeBy === undefined ? {} : { resumeBy };
}

/** Puts the history that the native session lacks before the prompt. */
function inputOf(request: AgentRequest): readonly Block[] {
  const { input, nativeRef } = request;
  const messages = earlierMessages(request);
  // The native session records how its own turns ended: if there is nothing else, nothing is sent.
  if (nativeRef !== undefined && messages.every(({ metadata }) => metadata.note !== undefined)) return input;
  const { block } = toRecordedMessages(messages, nativeRef === undefined ? "all" : "elsewhere");
  return block === null ? input : [block, ...input];
}
