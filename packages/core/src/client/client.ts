/** The client of a channel: one participant, over any number of connections. */

import { assertKnownOptions, type Block, ContinuoError, present } from "../model/index.ts";
import {
  type ClaimedInput,
  type HistoryItem,
  type Participant,
  PERSON,
  type RunEnd,
  type ServerFrame,
  type SessionStatus,
  sessionKeyOf,
  textOfContent,
  type WelcomeFrame,
  type WireEvent,
} from "../wire/index.ts";
import type { AnswerInput, AnswerResult, AnswerWords } from "./answer.ts";
import { CALL_OPTIONS, type CallOptions, Calls, type MethodCall } from "./calls.ts";
import {
  type ClientOptions,
  EVENTS_OPTIONS,
  type EventsOptions,
  noSession,
  SEND_OPTIONS,
  type SendOptions,
  startOf,
} from "./client-options.ts";
import { type ClientEvent, type Reader, toClientEvent, toPresenceEvent } from "./events.ts";
import { iterateEvents } from "./hand-over.ts";
import { Inbox } from "./inbox.ts";
import { LIMITS } from "./limits.ts";
import { type Change, Link, type Request } from "./link.ts";
import { MissedCollector, type MissedMessage } from "./missed-collector.ts";
import {
  formatMissed,
  MISSED_CONTEXT_OPTIONS,
  type MissedContext,
  type MissedContextOptions,
} from "./missed-context.ts";
import type { createParticipation, Participation } from "./participation.ts";
import { newIds } from "./requests/index.ts";
import type { ClientSession } from "./session.ts";
import { WholeMessages } from "./whole-messages.ts";
import { Writer } from "./writer.ts";

/** The collector of missed messages takes only whole messages, so it knows of no open ones. */
const NONE_KNOWN: ReadonlyMap<string, string | null> = new Map();

export class AgenticClient {
  readonly #options: ClientOptions;
  readonly #newId: () => string = newIds();
  readonly #instance: string = this.#newId();
  readonly #link: Link;
  readonly #inbox: Inbox;
  readonly #writer: Writer;
  /** `undefined` for a person without a workspace, and for a watch. */
  readonly #participation: Participation | undefined;
  readonly #session: ClientSession | undefined;
  readonly #calls = new Calls();
  readonly #missed = new MissedCollector();
  readonly #whole = new WholeMessages();
  /** The writers of messages whose beginning is in the inbox and whose end is not, by the ids of the messages. */
  readonly #knownOpen = new Map<string, string | null>();
  readonly #ready = Promise.withResolvers<void>();
  #roster = new Map<string, Participant>();
  #workspaceId: string | undefined;
  #reader: Reader;
  /** The end of the replay of the first connection. */
  #replayEnd = 0;
  #everGreeted = false;
  #connection: "open" | "lost" = "open";
  #reading: "nobody" | "somebody" = "nobody";
  #maxTurns: number = LIMITS.agentTurns;
  #end: { readonly error: ContinuoError | null } | null = null;

  /** @param create missing for a person without a workspace, and for a watch */
  constructor(options: ClientOptions, create?: typeof createParticipation) {
    this.#options = options;
    this.#reader = { handle: options.hello.handle ?? null, processed: 0, received: 0 };
    this.#inbox = new Inbox({
      onArrival: (event) => this.#arrive(event),
      toEvent: (event) => this.#toEvent(event),
      onTell: (frame) => this.#link.tell(frame),
      // A replay that is read while it arrives can have any length, so its reader must not wait for its end.
      onFull: () => {
        if (options.replayMode === "stream") this.#join();
      },
      mayPause: () => this.#reading === "somebody" && this.#calls.count === 0,
    });
    this.#link = new Link({
      ...options,
      onLost: () => this.#connect("lost"),
      hello: async (token) => ({
        ...options.hello,
        instance: this.#instance,
        // After the first connection nothing may be missing.
        ...(this.#everGreeted
          ? { after: this.#inbox.position }
          : { after: await startOf(options.after, token), replay: options.replayMode }),
      }),
      onFrame: (frame) => this.#take(frame),
      onEnd: (error) => this.#over(error),
    });
    const request: Link["request"] = (one) => this.#link.request(one);
    this.#writer = new Writer(request, this.#newId);
    this.#participation = create?.({
      request,
      warn: options.warn,
      claim: (sequence) => this.#claim(sequence),
      open: (id, text, replyTo) => this.send(text, { id, replyTo, state: "open" }),
      update: (messageId, delta) => this.update(messageId, delta),
      complete: (messageId) => this.complete(messageId),
      delete: (messageId) => this.delete(messageId),
      endRun: (runId, end) => this.endRun(runId, end),
    });
    this.#session = this.#participation?.session;
  }

  /** Resolves when the replay is over; with `stream`, when it fills the inbox. Errors: why there is no connection. */
  ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** `workspace:channel:handle`; `undefined` without a session. */
  get sessionKey(): string | undefined {
    const { handle, workspaceId } = this.#options.hello;
    if (handle === undefined || workspaceId === undefined || this.#workspaceId === undefined)
      return undefined;
    return sessionKeyOf(this.#workspaceId, this.#options.channel, handle);
  }

  /** Everything up to this sequence is processed. */
  get checkpoint(): number | undefined {
    return this.#session?.kept?.processed;
  }

  get sdkSessionId(): string | undefined {
    return this.#session?.kept?.sdkSessionId ?? undefined;
  }

  /** The status is also `interrupted` while there is no connection to the server. */
  get status(): SessionStatus | undefined {
    const status = this.#session?.kept?.status;
    return status === "active" && this.#connection === "lost" ? "interrupted" : status;
  }

  /** The reason why there is no session although one was requested. */
  get degraded(): string | undefined {
    return this.#session?.degraded;
  }

  /**
   * Yields every event once, in order, over any number of connections; with `collect` (the default) and `skip`, only
   * those events of a replay that address this handle. Only one iteration can run at a time. Errors: `conflict` for a
   * second iteration; the error that ended the connection permanently.
   */
  events(options: EventsOptions = {}): AsyncIterableIterator<ClientEvent> {
    assertKnownOptions("events", options, EVENTS_OPTIONS);
    const { parts = false, targetedOnly = false, maxTurns = LIMITS.agentTurns, signal } = options;
    const isLimited = targetedOnly && this.#options.hello.participantType !== PERSON;
    this.#maxTurns = maxTurns;
    return iterateEvents({
      inbox: this.#inbox,
      whole: this.#whole,
      parts,
      targetedOnly,
      ...present({ signal, isUnanswered: isLimited ? this.#participation?.limitTalk(maxTurns) : undefined }),
      begin: () => {
        if (this.#reading === "somebody") {
          throw new ContinuoError("conflict", "events() is already being read", {
            hint: "Read the events in one place, and pass them on from there.",
          });
        }
        this.#reading = "somebody";
      },
      end: () => {
        this.#reading = "nobody";
      },
      onHandOver: ({ sequence, addressed }) => {
        if (sequence !== undefined) this.#session?.received(sequence, { addressed });
      },
      failure: () => this.#end?.error ?? null,
    });
  }

  /** Resolves when the message is stored. Blocks are a whole message; an empty text begins a message. */
  async send(
    content: string | readonly Block[],
    options: SendOptions = {},
  ): Promise<{ readonly messageId: string }> {
    assertKnownOptions("send", options, SEND_OPTIONS);
    const { replyTo, to, attachments } = options;
    const messageId = options.id ?? options.messageId ?? this.#newId();
    const isOpen = content === "" || options.state === "open";
    const stored = this.#link.request({
      type: "send",
      id: messageId,
      content,
      ...(isOpen ? { state: "open" } : {}),
      ...present({ to, replyTo, attachments }),
    });
    if (isOpen) this.#writer.opened(messageId, textOfContent(content));
    await stored;
    return { messageId };
  }

  /** Begins a message that is written in parts: `update` adds to it, and `complete` ends it. */
  async openMessage(options: Omit<SendOptions, "state"> = {}): Promise<{ readonly messageId: string }> {
    return await this.send("", { ...options, state: "open" });
  }

  /** Adds to a message in progress, or replaces its text. Resolves when that is stored. */
  async update(messageId: string, change: string | { readonly content: string }): Promise<void> {
    if (typeof change === "string") await this.#writer.append(messageId, change);
    else await this.#writer.replace(messageId, change.content);
  }

  /**
   * Ends a message in progress. Its whole text is stored at the end, or the blocks that replace the text: text, calls
   * of tools and their results.
   */
  async complete(messageId: string, blocks?: readonly Block[]): Promise<void> {
    await this.#writer.complete(messageId, blocks);
  }

  /**
   * Replaces the content of a message of this handle that has ended. Errors: `not_found`, `forbidden` for a message of
   * somebody else, `conflict` for one that is in progress or was deleted.
   */
  async edit(messageId: string, content: string | readonly Block[]): Promise<void> {
    await this.#change({ type: "edit", messageId, content });
  }

  /**
   * Hides the message from everybody. A token with the scope `admin` can also hide messages of others. Errors: as
   * `edit`.
   */
  async delete(messageId: string, options: { readonly reason?: string } = {}): Promise<void> {
    assertKnownOptions("delete", options, { reason: true });
    const { reason } = options;
    await this.#change({ type: "delete", messageId, ...present({ reason }) });
  }

  /** A second equal reaction changes nothing. Errors: `not_found`, `conflict` for a deleted message, `too_large`. */
  async addReaction(messageId: string, reaction: string): Promise<void> {
    await this.#react(messageId, reaction, "added");
  }

  /** Errors: `not_found` if this handle never had the reaction, `conflict` for a deleted message. */
  async removeReaction(messageId: string, reaction: string): Promise<void> {
    await this.#react(messageId, reaction, "removed");
  }

  async #react(messageId: string, reaction: string, change: "added" | "removed"): Promise<void> {
    await this.#change({ type: "react", messageId, reaction, change });
  }

  /** Never goes back. In degraded mode it is stored later. Errors: `session_disabled`, `out_of_range`. */
  async commitCheckpoint(sequence: number): Promise<void> {
    await this.#openSession.commit(sequence);
  }

  /** In degraded mode the id is stored when the server can open the session. Errors: `session_disabled`. */
  async updateSdkSession(sdkSessionId: string): Promise<void> {
    await this.#openSession.setSdkSession(sdkSessionId);
  }

  /** In degraded mode the id is removed when the server can open the session. Errors: `session_disabled`. */
  async clearSdkSession(): Promise<void> {
    await this.#openSession.setSdkSession(null);
  }

  /** Role is `user`, `assistant` or `system`. Errors: `session_disabled`, `degraded`. */
  async storeMessage(role: string, content: string): Promise<void> {
    this.#openSession.assertOpen();
    await this.#change({ type: "store", role, content });
  }

  /** Returns the newest messages, the oldest of them first. Errors: `session_disabled`, `degraded`. */
  async getHistory(limit = 20): Promise<readonly HistoryItem[]> {
    this.#openSession.assertOpen();
    return (await this.#link.request({ type: "history", limit })) as readonly HistoryItem[];
  }

  async clearHistory(): Promise<void> {
    this.#openSession.assertOpen();
    await this.#change({ type: "clear_history" });
  }

  /** Whole messages of others while this handle was away, but not to it: the newest 1,000, the oldest first. */
  get missedMessages(): readonly MissedMessage[] {
    return this.#missed.missed.messages;
  }

  formatMissedContext(options: MissedContextOptions = {}): MissedContext {
    assertKnownOptions("formatMissedContext", options, MISSED_CONTEXT_OPTIONS);
    return formatMissed(this.#missed.missed, options);
  }

  /** Calls a method of another participant. Results come as a stream; `result` is the last. */
  call(handle: string, method: string, args: unknown, options: CallOptions = {}): MethodCall {
    assertKnownOptions("call", options, CALL_OPTIONS);
    const callId = this.#newId();
    const { timeoutMs = LIMITS.callMs, signal } = options;
    const call = this.#calls.start(
      { callId, to: handle, timeoutMs },
      {
        ...present({ signal }),
        cancel: (reason) => {
          const frame = { type: "cancel", id: this.#newId(), callId, reason: reason.slice(0, 120) } as const;
          // The call ends with the connection.
          this.#link.request(frame).catch(() => undefined);
        },
      },
    );
    this.#inbox.flow();
    this.#link
      .request({ type: "call", id: callId, to: handle, method, args })
      .catch((error: unknown) => this.#calls.fail(callId, error));
    return call;
  }

  /** Sends a result of a call of this participant's method. It is the last one unless `done` is `false`. */
  async respond(callId: string, value: unknown, options: { readonly done?: boolean } = {}): Promise<void> {
    assertKnownOptions("respond", options, { done: true });
    const { done = true } = options;
    await this.#change({ type: "answer", callId, value, done });
  }

  /** The participants who are connected now. */
  roster(): readonly Participant[] {
    return [...this.#roster.values()];
  }

  /**
   * Answers an input of this agent only once, even if the process ends at any moment: claims the input, writes the
   * words as they come, and ends the run. A function receives the input, and is called only if the input is not
   * answered yet. After a crash, the next `answer` to the event hides the unfinished message, and writes another one. A
   * client gives its answers one after the other; an earlier input for which `answer` was not called counts as
   * answered.
   *
   * If the words fail, the message ends with "The answer failed.", and the result has the error. Errors: `invalid` for
   * the connection of a person, `session_disabled`, `degraded`; `unavailable` if the connection ends, and then the
   * input comes again.
   */
  async answer(
    event: ClientEvent,
    words: AnswerWords | ((input: AnswerInput) => AnswerWords | Promise<AnswerWords>),
  ): Promise<AnswerResult> {
    if (this.#options.hello.participantType === PERSON) {
      throw new ContinuoError("invalid", "a person's connection cannot claim inputs", {
        hint: 'Connect with type: "agent".',
      });
    }
    const result = await (this.#participation ?? noSession()).answers.answer(event, words);
    if (result.status === "failed") this.#options.warn(`an answer failed: ${String(result.error)}`);
    return result;
  }

  /** Takes an input that this agent answers now; the server begins the run and moves the cursor in one step. */
  async claimInput(
    sequence: number,
    claim: {
      readonly agent: string;
      /** After this many messages of agents since a person's last message, the input is not answered; 20 by default. */
      readonly maxTurns?: number;
    },
  ): Promise<ClaimedInput> {
    this.#openSession.assertOpen();
    return (await this.#link.request({ type: "claim", sequence, ...claim })) as ClaimedInput;
  }

  #claim(sequence: number): Promise<ClaimedInput> {
    return this.claimInput(sequence, { agent: this.#reader.handle ?? "", maxTurns: this.#maxTurns });
  }

  async endRun(
    runId: string,
    end: {
      readonly status: RunEnd;
      readonly answer?: string;
      readonly error?: { readonly code: string; readonly message: string };
    },
  ): Promise<void> {
    const session = this.#openSession;
    session.assertOpen();
    await session.change({ type: "end_run", runId, ...end });
  }

  /** Waits until everything that was written is stored, for at most 5 seconds, and leaves. */
  async close(): Promise<void> {
    this.#writer.flushAll();
    this.#session?.flush();
    await this.#link.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #openSession(): ClientSession {
    return this.#session ?? noSession();
  }

  #change(request: Change): Promise<unknown> {
    return this.#link.request({ id: this.#newId(), ...request } as Request);
  }

  #take(frame: ServerFrame): void {
    if (frame.type === "hello") this.#greet(frame);
    else if (frame.type === "event") this.#inbox.take(frame.after, frame.event);
    else if (frame.type === "session") this.#session?.take(frame.session);
    else if (frame.type === "ready") {
      this.#setRoster(frame.roster);
      this.#join();
      this.#connect("open");
    } else if (frame.type === "presence") this.#present(frame.change, frame.participant);
  }

  #join(): void {
    this.#link.joined();
    this.#ready.resolve();
  }

  #connect(connection: "open" | "lost"): void {
    if (connection === "lost" && this.#connection === "lost") return;
    this.#connection = connection;
    this.#options.onConnection?.(connection);
  }

  #greet(welcome: WelcomeFrame): void {
    const { after, session, latestSequence, workspaceId, omitted } = welcome;
    if (!this.#everGreeted) {
      if (omitted !== undefined) this.#missed.leaveOut(omitted);
      this.#everGreeted = true;
      this.#missed.begin(after);
      this.#replayEnd = latestSequence;
      this.#workspaceId = workspaceId;
      if (session !== null) {
        const { processed, received } = session;
        this.#reader = { ...this.#reader, processed, received };
      }
    }
    this.#inbox.begin(after);
    this.#session?.begin(welcome);
  }

  /** Called once for each event of the log, before the program reads the event. */
  #arrive(event: WireEvent): void {
    this.#calls.take(event);
    if (event.type === "message_interrupted" && event.actor.kind === "system") {
      const { messageId } = event.data as { readonly messageId?: string };
      if (messageId !== undefined) this.#writer.interrupted(messageId);
    }
    if (event.sequence > this.#replayEnd || this.#options.replayMode === "skip") return;
    const made = toClientEvent(event, this.#reader, NONE_KNOWN);
    if (made !== null) this.#missed.add(made);
  }

  #toEvent(event: WireEvent): ClientEvent | null {
    const made = toClientEvent(event, this.#reader, this.#knownOpen);
    const isReplay = event.sequence <= this.#replayEnd;
    const isWanted = !isReplay || this.#options.replayMode === "stream" || made?.addressed === true;
    if (made === null || !isWanted) return null;
    if (made.type === "message" && made.state === "open") this.#knownOpen.set(made.messageId, made.from);
    if ((made.type === "complete" || made.type === "error") && made.messageId !== undefined) {
      this.#knownOpen.delete(made.messageId);
    }
    return made;
  }

  #present(change: "joined" | "left", participant: Participant): void {
    if (change === "joined") this.#roster.set(participant.handle, participant);
    else this.#roster.delete(participant.handle);
    if (this.#inbox.hasRoomForPresence()) {
      this.#inbox.put(toPresenceEvent(change, participant, this.#reader));
    }
  }

  /** After a lost connection, reports the participants who joined and left in the meantime. */
  #setRoster(roster: readonly Participant[]): void {
    const before = this.#roster;
    const now = new Map(roster.map((participant) => [participant.handle, participant]));
    if (before.size > 0) {
      for (const one of before.values()) if (!now.has(one.handle)) this.#present("left", one);
      for (const one of now.values()) if (!before.has(one.handle)) this.#present("joined", one);
    }
    this.#roster = now;
  }

  #over(error: ContinuoError | null): void {
    this.#end = { error };
    this.#session?.stop();
    const reason = error ?? new ContinuoError("unavailable", "the client was closed");
    this.#ready.reject(reason);
    this.#ready.promise.catch(() => undefined);
    this.#calls.failAll(reason);
    this.#inbox.end();
  }
}
