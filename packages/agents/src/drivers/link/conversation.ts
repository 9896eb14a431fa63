/** The conversation that every driver returns. It uses a `Link`, the part that is different for each agent. */

import {
  type AgentCommand,
  type AgentEvent,
  assertKnownOptions,
  type Block,
  type CallOptions,
  type ContextUse,
  ContinuoError,
  type Conversation,
  isContinuoError,
  type Message,
  type NativeRef,
  present,
  type Restriction,
  type Resumption,
  type SessionCapabilities,
} from "@continuo/core/model";
import type { WriterLock } from "@continuo/files";
import type { FoundSession } from "@continuo/native/kit";
import { isOwnProcess, lockNative, othersWith } from "@continuo/native/writing";
import { endLeftPrograms } from "../process/index.ts";
import type { OpenedSession } from "./open-conversation.ts";
import { type DriverOptions, limitsOf } from "./options.ts";
import { AgentTurn } from "./turn.ts";
import { markSoon, verifyAfterTurn } from "./verify.ts";
import { isRecorded, isWrittenTo, type Stamp, stampOf, watchTurn } from "./writer.ts";

/** An agent's running program, in one native session. */
export interface Link {
  /** The session that the agent last reported; it may report it only in its first turn. */
  readonly sessionId: string;
  readonly capabilities: SessionCapabilities;
  /** See `Conversation.history`. */
  readonly history?: readonly Message[] | undefined;
  /** See `Conversation.restriction`. */
  readonly restriction?: Restriction | null;
  /** See `Conversation.leftOutServers`. */
  readonly leftOutServers?: readonly string[];
  /** See `Conversation.context`. */
  readonly context?: ContextUse | null;
  /** See `Conversation.commands`. */
  commands?(options: CallOptions): Promise<readonly AgentCommand[]>;
  /** Sends the blocks to the agent, pushes its events into the turn, and ends or fails the turn. */
  say(blocks: readonly Block[], turn: AgentTurn): Promise<void>;
  /** Asks the agent to stop its turn. */
  stop(): void | Promise<void>;
  /** Changes to another session; an unknown one is an error. */
  resume(sessionId: string, options: CallOptions): Promise<OpenedSession>;
  /** Ends the program, and returns an error `agent_failed` that contains its output. */
  giveUp(why: string): ContinuoError;
  /** Ends the program and all that it started. Idempotent. */
  close(): Promise<void>;
}

export interface ConversationParts {
  /** The name of the agent for people. */
  readonly agent: string;
  readonly cwd: string;
  readonly link: Link;
  readonly opened: OpenedSession;
  readonly options: DriverOptions;
  /** The lock on the open session; `null` until its id is known, and absent if sessions are not locked. */
  readonly lock?: HeldSession | null;
}

export interface HeldSession extends WriterLock {
  readonly sessionId: string;
}

export interface ConversationStart extends Omit<ConversationParts, "opened" | "lock"> {
  /** The agent's key in references. */
  readonly name: string;
  /** The id of the requested session, which no other program may have open. */
  readonly asked: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly open: () => Promise<OpenedSession>;
}

/** Opens a session and returns a conversation on it. The link is closed if the session cannot be opened. */
export async function beginConversation(beginning: ConversationStart): Promise<Conversation> {
  const { open, name: agent, asked, signal, ...parts } = beginning;
  const { options, link } = parts;
  let lock: HeldSession | null = null;
  try {
    if (asked !== undefined) lock = await held(options, { agent, sessionId: asked, signal });
    await endLeftPrograms(present({ signal }));
    signal?.throwIfAborted();
    const opened = await open();
    lock = await exchanged(lock, options, { agent, sessionId: opened.sessionId, signal });
    return createConversation({ ...parts, opened, lock });
  } catch (error) {
    await link.close();
    lock?.release();
    throw error;
  }
}

interface LockRequest {
  /** Its key in references: `claude`, … */
  readonly agent: string;
  readonly sessionId: string;
  readonly signal?: AbortSignal | undefined;
}

async function held(
  { places, writerWaitMs: waitMs = 0, onWait }: DriverOptions,
  writing: LockRequest,
): Promise<HeldSession> {
  const { agent, sessionId } = writing;
  const hint = `Close it there first, or continue a copy: --fork ${agent}:${sessionId}.`;
  const startedAt = performance.now();
  let isReported = false;
  const onHeld = (holder: string): void => {
    isReported = true;
    onWait?.(Math.max(0, waitMs - (performance.now() - startedAt)), holder);
  };
  try {
    return { sessionId, ...(await lockNative({ ...writing, places, hint, waitMs, onWait: onHeld })) };
  } finally {
    if (isReported) onWait?.(0);
  }
}

/** Replaces the lock by that of another session. Errors: `session_live`. */
async function exchanged(
  lock: HeldSession | null,
  options: DriverOptions,
  writing: LockRequest,
): Promise<HeldSession | null> {
  // The id is empty until the agent reports which session it has.
  if (writing.sessionId === "" || lock?.sessionId === writing.sessionId) return lock;
  const next = await held(options, writing);
  lock?.release();
  return next;
}

export function createConversation(parts: ConversationParts): Conversation {
  return new LinkedConversation(parts);
}

class LinkedConversation implements Conversation {
  readonly #parts: ConversationParts;
  #opened: OpenedSession;
  #resumption: Resumption;
  #turn: AgentTurn | null = null;
  #isFirst = true;
  #lock: HeldSession | null;
  /** The session on disk; known after the first turn. */
  #found: FoundSession | null = null;
  /** The state of the session's files at the end of the last turn. */
  #stamp: Stamp | null = null;
  #closed: Promise<void> | null = null;
  /** Process ids of other programs about which the person was warned. */
  readonly #others = new Set<number>();

  constructor(parts: ConversationParts) {
    this.#parts = parts;
    this.#opened = parts.opened;
    this.#resumption = parts.opened.resumption;
    this.#lock = parts.lock ?? null;
  }

  get sessionId(): string {
    return this.#parts.link.sessionId;
  }

  get resumption(): Resumption {
    return this.#resumption;
  }

  get capabilities(): SessionCapabilities {
    return this.#parts.link.capabilities;
  }

  get history(): readonly Message[] {
    return this.#parts.link.history ?? [];
  }

  get restriction(): Restriction | null {
    return this.#parts.link.restriction ?? null;
  }

  get leftOutServers(): readonly string[] {
    return this.#parts.link.leftOutServers ?? [];
  }

  get context(): ContextUse | null {
    return this.#parts.link.context ?? null;
  }

  async commands(options: CallOptions = {}): Promise<readonly AgentCommand[]> {
    assertKnownOptions("commands", options, { signal: true });
    return (await this.#parts.link.commands?.(options)) ?? [];
  }

  async *prompt(blocks: readonly Block[], options: CallOptions = {}): AsyncGenerator<AgentEvent, void, void> {
    assertKnownOptions("prompt", options, { signal: true });
    this.#assertFree();
    await this.#refuseOthers();
    const turn = this.#begin(options);
    const askedAtMs = Date.now();
    const { link } = this.#parts;
    const before = this.#isFirst ? this.#opened.before?.block : null;
    const said = before === null || before === undefined ? blocks : [before, ...blocks];
    const watch = watchTurn(this.#parts.options, {
      found: this.#found ?? this.#opened.mark?.found ?? null,
      said,
      askedAtMs,
      onOther: () => {
        turn.fail(this.#writtenBySomebody());
        // This closes the program immediately, even if the caller reads the events of the turn slowly.
        this.close().catch(() => undefined);
      },
    });
    link.say(said, turn).catch((error: Error) => turn.fail(error));
    try {
      yield* this.#warnOfOthers();
      for await (const event of turn.events()) {
        // Some agents forget a cancelled prompt, so a cancelled turn proves nothing.
        if (event.type === "turn_completed" && event.stopReason !== "cancelled") {
          yield* this.#verify(askedAtMs, options.signal);
          if (await watch.look()) throw this.#writtenBySomebody();
          yield* this.#warnOfOthers();
        }
        yield event;
      }
    } catch (error) {
      if (isContinuoError(error, "session_live")) await this.close();
      throw await this.#withRecord(error, askedAtMs);
    } finally {
      watch.stop();
      this.#turn = null;
      if (this.#found !== null) this.#stamp = stampOf(this.#found);
    }
  }

  async resumeSession(sessionId: string, options: CallOptions = {}): Promise<Resumption> {
    assertKnownOptions("resumeSession", options, { signal: true });
    this.#assertFree();
    const before = this.sessionId;
    await this.#hold(sessionId, options);
    try {
      this.#opened = await this.#parts.link.resume(sessionId, options);
    } catch (error) {
      await this.#hold(before);
      throw error;
    }
    await this.#hold(this.#opened.sessionId, options);
    this.#found = null;
    this.#stamp = null;
    this.#resumption = this.#opened.resumption;
    this.#isFirst = true;
    return this.#resumption;
  }

  async cancel(): Promise<void> {
    await this.#turn?.cancel();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const turn = this.#turn;
    this.#lock?.leave();
    await this.#parts.link.close();
    this.#lock?.release();
    turn?.fail(new ContinuoError("interrupted", `${this.#parts.agent} was closed during a turn`));
  }

  #begin({ signal }: CallOptions): AgentTurn {
    this.#assertFree();
    const { link, options } = this.#parts;
    const limits = limitsOf(options);
    this.#turn = new AgentTurn({
      cancel: () => link.stop(),
      stuck: () => link.giveUp("did not stop when it was asked to"),
      silent: () => link.giveUp(`said nothing for ${limits.silenceMs} ms`),
      cancelMs: limits.cancelMs,
      silenceMs: limits.silenceMs,
      ...present({ signal }),
    });
    return this.#turn;
  }

  #assertFree(): void {
    const { agent } = this.#parts;
    if (this.#closed !== null)
      throw new ContinuoError("conflict", `the conversation with ${agent} is closed`);
    if (this.#turn !== null) {
      throw new ContinuoError("conflict", `${agent} is already running a turn`, {
        hint: "Wait for its end, or cancel it.",
      });
    }
  }

  /** Locks the session, so that no other program has it open. Errors: `session_live`. */
  async #hold(sessionId: string, { signal }: CallOptions = {}): Promise<void> {
    const { lock, options } = this.#parts;
    if (lock === undefined) return;
    const agent = this.#resumption.ref?.agent ?? this.#parts.agent;
    this.#lock = await exchanged(this.#lock, options, { agent, sessionId, signal });
  }

  /** Adds `details.recorded` to the error of a failed turn if the native session has its prompt nevertheless. */
  async #withRecord(error: unknown, askedAtMs: number): Promise<unknown> {
    const { options, cwd } = this.#parts;
    if (!isContinuoError(error, "agent_failed")) return error;
    if (!(await isRecorded(options, { sessionId: this.sessionId, cwd, askedAtMs }))) return error;
    const { message, hint, details, cause } = error;
    return new ContinuoError(
      "agent_failed",
      message,
      present({ hint, details: { ...details, recorded: true }, cause: cause ?? error }),
    );
  }

  /** Refuses a turn after another program wrote to the session: the agent's program does not know those messages. */
  async #refuseOthers(): Promise<void> {
    const { options, agent } = this.#parts;
    const { sessionId } = this;
    if (this.#stamp === null || !(await isWrittenTo(options, this.#stamp))) return;
    await this.close();
    throw new ContinuoError(
      "session_live",
      `cannot continue: another program wrote to session ${sessionId} while ${agent} had it open here`,
      {
        hint: "Close it there, then repeat your prompt: the agent then reads the session again.",
        details: { sessionId },
      },
    );
  }

  /** Warns of each other program once. The turn continues, because that program may never write to the session. */
  *#warnOfOthers(): Generator<AgentEvent, void, void> {
    const { reader, places } = this.#parts.options;
    const { sessionId } = this;
    if (reader === undefined || sessionId === "") return;
    const shared = { agent: reader.agent, sessionId, places, reader, isOwn: isOwnProcess };
    for (const { pid, program } of othersWith(shared)) {
      if (this.#others.has(pid)) continue;
      this.#others.add(pid);
      const message = `${program} (process ${pid}) has this session open too: neither program sees the messages of the other one`;
      yield { type: "error", code: "session_live", message, details: { pid, program } };
    }
  }

  /** The error if two programs wrote at the same time, each without the other's messages. The agent has the prompt. */
  #writtenBySomebody(): ContinuoError {
    const { agent } = this.#parts;
    const { sessionId } = this;
    return new ContinuoError(
      "session_live",
      `stopped writing: another program wrote to session ${sessionId} while ${agent} was answering here`,
      {
        hint: `Close it there, or continue a copy: --fork ID.`,
        details: { sessionId, began: true },
      },
    );
  }

  /** Checks once, after the first turn, that the agent wrote to the session that it reported. */
  async *#verify(askedAtMs: number, signal: AbortSignal | undefined): AsyncGenerator<AgentEvent, void, void> {
    if (!this.#isFirst) return;
    this.#isFirst = false;
    const { cwd, link, options } = this.#parts;
    const sessionId = this.#opened.sessionId;
    const isResumed = this.#resumption.happened === "native";
    const where = { sessionId, cwd, signal: signal?.aborted === true ? undefined : signal };
    const isSame = isResumed && this.#opened.mark?.found.sessionId === sessionId;
    const after = { ...where, before: this.#opened.mark, answered: link.sessionId, askedAtMs };
    const verified = isSame ? await verifyAfterTurn(options, after) : null;
    const now = verified?.forked?.to ?? link.sessionId;
    const forked = verified?.forked ?? (now === sessionId ? undefined : { from: sessionId, to: now });
    const lies = await markSoon(options, { ...where, sessionId: now });
    this.#found = lies?.found ?? null;
    const ref: NativeRef = {
      agent: this.#resumption.ref?.agent ?? this.#parts.agent,
      sessionId: now,
      location: lies?.found.location ?? null,
      cwd,
    };
    this.#resumption = {
      ...this.#resumption,
      ref,
      verifiedBy: verified?.verifiedBy ?? (lies === null ? "agent" : "agent and disk"),
      ...present({ reason: verified?.reason, forked }),
    };
    await this.#hold(now);
    const { verifiedBy } = this.#resumption;
    if (forked !== undefined) {
      yield { type: "native_session", ref, happened: "forked", verifiedBy };
    } else if (verified?.reason !== undefined) {
      const reason = `the session could not be verified: ${verified.reason}`;
      yield { type: "native_session", ref, happened: "resumed", verifiedBy, reason };
      yield { type: "diagnostics", message: `The session could not be verified: ${verified.reason}.` };
    }
  }
}
