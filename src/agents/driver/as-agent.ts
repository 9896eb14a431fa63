/** A driver as an agent of the session manager: one turn on a native session, or on a new one that is told what was said. */

import {
  type Agent,
  type AgentDriver,
  type AgentEvent,
  type AgentRequest,
  type AgentResult,
  type Block,
  ContinuoError,
  type Conversation,
  type ExecuteOptions,
  isContinuoError,
  type NativeRef,
  type OpenConversation,
  type Usage,
} from "../../model/index.ts";
import { toSignal } from "../reader/index.ts";
import { toSaidBefore } from "./said-before.ts";

export interface AgentOptions {
  /** Its key in references; the driver's own when left out. */
  readonly name?: string;
  /** For sessions that tell none. */
  readonly cwd: string;
  readonly onPermission?: OpenConversation["onPermission"];
  readonly model?: string;
  readonly mode?: string;
  /**
   * `session` keeps the program of the session that had the last turn, so that its next one starts at once;
   * close the agent then. `turn` ends it after each turn.
   */
  readonly keepOpen?: "session" | "turn";
}

/** An agent whose program may stay open between turns. */
export interface DrivenAgent extends Agent, AsyncDisposable {
  /** What is kept open now. */
  readonly conversation: Conversation | null;
  /** Ends what is kept open. Idempotent. */
  close(): Promise<void>;
}

export function toAgent(driver: AgentDriver, options: AgentOptions): DrivenAgent {
  return new Driven(driver, options);
}

interface Kept {
  /** Our session. */
  readonly sessionId: string;
  readonly conversation: Conversation;
  readonly cwd: string;
}

/** The session that the agent is in, and how it got there. */
interface Place {
  readonly kept: Kept;
  readonly event: Extract<AgentEvent, { type: "native_session" }>;
}

class Driven implements DrivenAgent {
  readonly name: string;
  readonly #driver: AgentDriver;
  readonly #options: AgentOptions;
  #kept: Kept | null = null;

  constructor(driver: AgentDriver, options: AgentOptions) {
    this.#driver = driver;
    this.#options = options;
    this.name = options.name ?? driver.agent;
  }

  get conversation(): Conversation | null {
    return this.#kept?.conversation ?? null;
  }

  async capabilities(options: Parameters<Agent["capabilities"]>[0] = {}) {
    const known = await this.#driver.capabilities({ ...options, cwd: this.#options.cwd });
    return { ...known, native: known.canLoad || known.canResume };
  }

  async execute(request: AgentRequest, options: ExecuteOptions): Promise<AgentResult> {
    const { kept, event } = await this.#go(request, options.signal);
    let isDone = false;
    try {
      await options.onEvent(event);
      const told = await this.#tell(kept.conversation, request, options);
      isDone = true;
      return { ...told, nativeRef: this.#refOf(kept, event) };
    } finally {
      // Whatever went wrong: a program in an unknown state is not kept.
      if (!isDone || this.#options.keepOpen !== "session") await this.close();
    }
  }

  async close(): Promise<void> {
    const kept = this.#kept;
    this.#kept = null;
    await kept?.conversation.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Errors: `native_unavailable`, before anything reached the model. */
  async #go({ session, nativeRef }: AgentRequest, signal: AbortSignal): Promise<Place> {
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
    const event = { type: "native_session", ref, happened, verifiedBy: resumption.verifiedBy } as const;
    return { kept: this.#kept, event };
  }

  async #open(cwd: string, nativeRef: NativeRef | undefined, signal: AbortSignal): Promise<Conversation> {
    const { onPermission, model, mode } = this.#options;
    try {
      return await this.#driver.open({
        cwd,
        ...toSignal(signal),
        ...(nativeRef === undefined ? {} : { resumeSessionId: nativeRef.sessionId, onMissing: "error" }),
        ...(onPermission === undefined ? {} : { onPermission }),
        ...(model === undefined ? {} : { model }),
        ...(mode === undefined ? {} : { mode }),
      });
    } catch (error) {
      if (nativeRef === undefined || !isContinuoError(error, "not_found")) throw error;
      const { message, details } = error;
      throw new ContinuoError("native_unavailable", message, { details, cause: error });
    }
  }

  async #tell(
    conversation: Conversation,
    request: AgentRequest,
    { signal, onEvent }: ExecuteOptions,
  ): Promise<AgentResult> {
    let ended: { readonly stopReason: string; readonly usage?: Usage } | null = null;
    let total: Usage | undefined;
    let costUsd: number | undefined;
    for await (const event of conversation.prompt(inputOf(request), { signal })) {
      if (event.type === "usage") {
        total = event.total ?? total;
        costUsd = event.costUsd ?? costUsd;
      }
      if (event.type === "turn_completed") ended = event;
      await onEvent(event);
    }
    if (ended === null)
      throw new ContinuoError("agent_failed", `${this.name} ended its turn without a word.`);
    const usage = ended.usage ?? total;
    return {
      stopReason: ended.stopReason,
      ...(usage === undefined ? {} : { usage }),
      ...(costUsd === undefined ? {} : { costUsd }),
    };
  }

  #refOf({ conversation, cwd }: Kept, told: Place["event"] | null): NativeRef {
    const { ref } = conversation.resumption;
    const location = ref?.sessionId === conversation.sessionId ? ref.location : (told?.ref.location ?? null);
    return { agent: this.name, sessionId: conversation.sessionId, location, cwd };
  }
}

/** What the native session does not know, in front of what is said now. */
function inputOf({ input, transcript, nativeRef }: AgentRequest): readonly Block[] {
  const messages = transcript?.messages ?? [];
  const { block } = toSaidBefore(messages, nativeRef === undefined ? "all" : "elsewhere");
  return block === null ? input : [block, ...input];
}
