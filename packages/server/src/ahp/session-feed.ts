/** The state of one session that clients look at. Events of the machine change it; each change is sent as an action. */

import {
  ContinuoError,
  isContinuoError,
  keepNewest,
  listAll,
  messageOf,
  present,
} from "@continuo/core/model";
import type {
  ChatEvent,
  ChatRun,
  ChatState,
  MachineService,
  WindowMessage,
} from "@continuo/core/wire/machine";
import { reduceChat } from "./chat-reducer.ts";
import { editsOf } from "./edits.ts";
import { LIMITS } from "./limits.ts";
import { createLiveTurn, sequenceOf } from "./live-turn.ts";
import {
  type ActionEnvelope,
  type ChatState as AhpChat,
  type ChatAction,
  type ChatTurn,
  type SessionAction,
  type SessionState,
  STATUS,
} from "./protocol.ts";
import { withQuestions } from "./questions.ts";
import { reduceSession } from "./session-reducer.ts";
import { actionsForCorrection, actionsForParts, actionsForTurns, actionsOfTurn } from "./turn-actions.ts";
import { callOfPart, type TurnsPlace, toErrorPart, toParts, toTurns } from "./turns.ts";
import { withUnanswered } from "./unanswered-runs.ts";
import { type EditName, parseFileUri, toChatUri } from "./uris.ts";

/** The prefix of a cursor for older turns that the chat has in memory, but that the reader has not requested. */
const KNOWN = "turn:";

export type Origin = NonNullable<ActionEnvelope["origin"]>;

export interface FeedOptions {
  readonly uri: string;
  /** `null` for a session without messages. */
  readonly key: string | null;
  readonly machine: MachineService;
  readonly first: Pick<SessionState, "provider" | "title"> & {
    readonly modifiedAt: string;
    readonly workingDirectories?: readonly string[];
    readonly isArchived?: boolean;
  };
  /** Called with every action in order, after the state has changed. */
  readonly emit: (channel: string, action: ChatAction | SessionAction, origin?: Origin) => void;
  /** Called when the session continues under another key. */
  readonly moved: (key: string) => void;
  readonly report: (line: string) => void;
}

interface CurrentRun {
  readonly runId: string;
  readonly turnId: string;
  /** True after a state or a message showed the run: a later state without the run means that it has ended. */
  isSeen: boolean;
  cancelledBy: Origin | null;
  /** True if the sent actions result in exactly the parts of the turn. */
  isExact: boolean;
}

export class SessionFeed {
  readonly #options: FeedOptions;
  readonly #over = new AbortController();
  readonly #live = createLiveTurn();
  /** The calls that wait for an answer, and the ids of their questions. */
  #asked = new Map<string, string>();
  /** Runs whose turns show how they ended. */
  readonly #ended = new Set<string>();
  /** The times at which questions whose calls have not arrived are shown as parts of their own. */
  readonly #dueAt = new Map<string, number>();
  #key: string | null;
  #run: CurrentRun | null = null;
  /** The sequence of the last message that a turn in the state contains. */
  #lastSequence = 0;
  #works: Promise<unknown> = Promise.resolve();
  #following: AbortController | null = null;
  /** Turns of the agent's own program that wait for the end of a turn. */
  readonly #native: ChatTurn[] = [];
  #last: ChatState | null = null;
  /** Sends a message that waits, by its id. */
  readonly #waiting = new Map<string, () => Promise<void>>();
  session: SessionState;
  chat: AhpChat;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#key = options.key;
    const { modifiedAt, isArchived = false, ...first } = options.first;
    const chat = { resource: toChatUri(options.uri), title: first.title, status: STATUS.idle, modifiedAt };
    this.chat = { ...chat, turns: [] };
    this.session = {
      ...first,
      status: STATUS.idle | (isArchived ? STATUS.isArchived : 0),
      lifecycle: "ready",
      activeClients: [],
      chats: [chat],
      defaultChat: chat.resource,
    };
  }

  get uri(): string {
    return this.#options.uri;
  }

  get key(): string | null {
    return this.#key;
  }

  get #place(): TurnsPlace {
    const { uri, first } = this.#options;
    const [folder] = first.workingDirectories ?? [];
    return { session: uri, cwd: folder === undefined ? null : parseFileUri(folder) };
  }

  get isRunning(): boolean {
    return this.chat.activeTurn !== undefined;
  }

  /** Reads the newest turns, and follows the session from then on. Errors: those of reading it. */
  async open(): Promise<void> {
    if (this.#key === null) return;
    const window = await this.#window({});
    this.#lastSequence = Math.max(0, ...window.messages.map(sequenceOf));
    this.chat = { ...this.chat, turns: window.turns, ...present({ turnsNextCursor: window.cursor }) };
    await this.#follow();
  }

  close(): void {
    this.#over.abort();
    this.#following?.abort();
  }

  /** Handles events of the machine and requests of clients one after the other. */
  serial<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#works.then(work, work);
    this.#works = done.catch(() => undefined);
    return done;
  }

  act(action: ChatAction, origin?: Origin): void {
    const before = this.chat;
    this.chat = reduceChat(before, action);
    this.#options.emit(this.chat.resource, action, origin);
    const { status, modifiedAt, interactivity } = this.chat;
    if (status !== before.status || interactivity !== before.interactivity) {
      this.actOnSession({
        type: "session/chatUpdated",
        chat: this.chat.resource,
        changes: { status, modifiedAt, ...present({ interactivity }) },
      });
    }
  }

  actOnSession(action: SessionAction, origin?: Origin): void {
    this.session = reduceSession(this.session, action);
    this.#options.emit(this.#options.uri, action, origin);
  }

  /** Sends a prompt, which begins a run of the conversation. */
  async begin(
    action: Extract<ChatAction, { type: "chat/turnStarted" }>,
    {
      origin,
      send,
    }: { readonly origin?: Origin; send(key: string | null): Promise<{ key: string; runId: string }> },
  ): Promise<void> {
    const { key, runId } = await send(this.#key);
    this.#run = { runId, turnId: action.turnId, isSeen: false, cancelledBy: null, isExact: true };
    this.act(action, origin);
    if (key === this.#key) return;
    this.#move(key);
    void this.#follow();
  }

  /** Errors: `not_found` if no turn runs. */
  async cancel(origin: Origin): Promise<void> {
    const run = this.#run;
    if (run === null || this.#key === null) throw new ContinuoError("not_found", "no turn runs in this chat");
    await this.#options.machine.chat.cancel(this.#key, { runId: run.runId }, this.#over.signal);
    run.cancelledBy = origin;
  }

  /** Calls `send` after the end of a turn, when the message is the first one that waits. */
  whenFirst(messageId: string, send: () => Promise<void>): void {
    const queued = new Set(this.chat.queuedMessages?.map(({ id }) => id));
    for (const id of this.#waiting.keys()) if (!queued.has(id)) this.#waiting.delete(id);
    this.#waiting.set(messageId, send);
  }

  /** Sends the first message that waits, unless a turn runs. */
  sendWaiting(): void {
    const first = this.chat.queuedMessages?.[0];
    const send = first === undefined || this.isRunning ? undefined : this.#waiting.get(first.id);
    if (send === undefined) return;
    this.serial(send).catch((error: unknown) =>
      this.#options.report(`a message that waited was not sent: ${messageOf(error)}`),
    );
  }

  /** The id of the question that a call waits for. */
  questionOf(toolCallId: string): string | null {
    return this.#asked.get(toolCallId) ?? null;
  }

  /** The text that a call removed from a file or wrote into it; `null` if it is not found. Errors: those of reading. */
  async editText({ part, at, side }: Pick<EditName, "part" | "at" | "side">): Promise<string | null> {
    const found = callOfPart(this.#live.messages, part) ?? (await this.#storedCall(part));
    return found === null ? null : (editsOf(found.call, found.result)[at]?.[side] ?? null);
  }

  async #storedCall(part: string): Promise<ReturnType<typeof callOfPart>> {
    let searched = 0;
    const windows = listAll(async ({ cursor }) => {
      const { messages, cursor: next } = await this.#window(present({ before: cursor }));
      searched += 1;
      return { items: [messages], nextCursor: searched === LIMITS.windowsSearched ? null : (next ?? null) };
    });
    for await (const messages of windows) {
      const found = callOfPart(messages, part);
      if (found !== null) return found;
    }
    return null;
  }

  /** The chat with only its newest turns; a reader requests older ones with the cursor. */
  newest(turns: number): AhpChat {
    const first = this.chat.turns.length - turns;
    const oldest = this.chat.turns[first];
    if (first <= 0 || oldest === undefined) return this.chat;
    return { ...this.chat, turns: this.chat.turns.slice(first), turnsNextCursor: `${KNOWN}${oldest.id}` };
  }

  /**
   * Sends the turns before the cursor, by default those before the first one. Errors: `invalid` for a cursor that did
   * not come from this chat; those of reading the turns.
   */
  async loadOlder(cursor: string | undefined): Promise<void> {
    const before = cursor ?? this.chat.turnsNextCursor;
    if (before?.startsWith(KNOWN) === true) return this.#sendKnown(before.slice(KNOWN.length));
    if (before === undefined || this.#key === null) return;
    const { turns, cursor: turnsNextCursor } = await this.#window({ before }).catch(toBadCursor);
    this.act({ type: "chat/turnsLoaded", turns, ...present({ turnsNextCursor }) });
  }

  /** Sends turns that the chat already has: the chat does not change for other readers. */
  #sendKnown(id: string): void {
    const { turns, turnsNextCursor } = this.chat;
    const end = turns.findIndex((turn) => turn.id === id);
    if (end === -1) throw badCursor();
    this.act({ type: "chat/turnsLoaded", turns: turns.slice(0, end), ...present({ turnsNextCursor }) });
  }

  async #window(at: { readonly before?: string }): Promise<{
    readonly messages: Awaited<ReturnType<MachineService["history"]>>["messages"];
    readonly turns: readonly ChatTurn[];
    readonly cursor: string | undefined;
    readonly position: string | null;
  }> {
    const { messages, hasOlder, position } = await this.#options.machine.history(
      { key: this.#key ?? "", limit: LIMITS.windowMessages, ...at },
      this.#over.signal,
    );
    // A turn of which only the end was read is left for the next window, unless the window has no other turn.
    const start = messages.findIndex(({ turnId }) => turnId !== messages[0]?.turnId);
    const isWhole = !hasOlder || messages[0]?.message.role === "user" || start === -1;
    const kept = isWhole ? messages : messages.slice(start);
    const cursor = hasOlder || !isWhole ? kept[0]?.message.id : undefined;
    return { messages, turns: toTurns(kept, this.#place), cursor, position };
  }

  #move(key: string): void {
    this.#key = key;
    this.#options.moved(key);
  }

  /** Resolves with the first state of the conversation. */
  async #follow(): Promise<void> {
    this.#following?.abort();
    const following = new AbortController();
    this.#following = following;
    const first = Promise.withResolvers<void>();
    const signal = AbortSignal.any([following.signal, this.#over.signal]);
    const fail = (error: unknown): void => {
      if (!signal.aborted && !isContinuoError(error, "not_found"))
        this.#options.report(`a session is no longer followed: ${messageOf(error)}`);
    };
    this.#takeEvents(signal, first.resolve).catch(fail).finally(first.resolve);
    this.#takeGrowth(signal).catch(fail);
    await first.promise;
  }

  async #takeEvents(signal: AbortSignal, onState: () => void): Promise<void> {
    for await (const event of this.#options.machine.chat.events(this.#key ?? "", signal)) {
      await this.serial(async () => {
        if (signal.aborted) return;
        if (event.type === "moved") this.#move(event.key);
        else this.#take(event);
      });
      if (event.type === "state") onState();
      if (event.type === "moved") {
        // The events of the new key begin with its state.
        void this.#follow().then(onState);
        return;
      }
    }
  }

  /** Follows the growth of a session while its agent's own program writes its files. */
  async #takeGrowth(signal: AbortSignal): Promise<void> {
    const isOwn = this.#key?.startsWith("continuo:") === true;
    for await (const event of this.#options.machine.growth({ key: this.#key ?? "" }, signal)) {
      if (event.type !== "messages" && event.type !== "reset") continue;
      if (isOwn) {
        const messages = event.type === "messages" ? event.messages : [];
        await this.serial(async () => this.#takeNativeTurns(messages));
        continue;
      }
      await this.serial(async () => {
        if (signal.aborted || this.isRunning) return;
        const { turns, cursor } = await this.#window({});
        for (const action of actionsForTurns(this.chat, turns, cursor)) this.act(action);
      });
    }
  }

  /** Sends the turns of the agent's own program, which have no run, when no turn runs here. */
  #takeNativeTurns(messages: readonly WindowMessage[]): void {
    const native = messages.filter(({ message }) => message.metadata.nativeTurn !== undefined);
    this.#native.push(...toTurns(native, this.#place));
    if (this.isRunning || this.#over.signal.aborted) return;
    for (const turn of this.#native.splice(0)) {
      if (this.chat.turns.some(({ id }) => id === turn.id)) continue;
      for (const action of actionsOfTurn(turn)) this.act(action);
    }
  }

  #take(event: Exclude<ChatEvent, { readonly type: "moved" }>): void {
    if (event.type === "state") this.#takeState(event.state);
    else this.#live.take(event);
    this.#sendParts(event.type === "state" ? event.state : this.#last);
  }

  #takeState(state: ChatState): void {
    this.#last = state;
    const run = this.#run;
    if (run !== null) {
      const isThere = [state.running, ...state.waiting].some((one) => one?.runId === run.runId);
      const ended = state.unanswered.find(({ runId }) => runId === run.runId);
      if (isThere) run.isSeen = true;
      else if (run.isSeen || ended !== undefined) this.#end(run, ended, state);
    }
    if (this.#run === null) this.#sendUnanswered(state);
    if (this.#run === null && state.running !== null) this.#beginElsewhere(state.running);
    const interactivity = state.readOnly === null ? "full" : "read-only";
    if ((this.chat.interactivity ?? "full") !== interactivity) this.#setInteractivity(interactivity);
  }

  #sendUnanswered({ unanswered }: ChatState): void {
    const turns = withUnanswered(this.chat.turns, unanswered, this.#ended);
    for (const { runId } of unanswered) this.#addEnded(runId);
    if (turns === this.chat.turns) return;
    for (const action of actionsForTurns(this.chat, turns, this.chat.turnsNextCursor)) this.act(action);
  }

  /** The protocol has no such action for a chat, so the session sends it. */
  #setInteractivity(interactivity: "full" | "read-only"): void {
    this.chat = { ...this.chat, interactivity };
    this.actOnSession({ type: "session/chatUpdated", chat: this.chat.resource, changes: { interactivity } });
  }

  /** Shows a turn that began in a terminal, a page, or another client. */
  #beginElsewhere({ runId, text, at }: ChatRun): void {
    // The history may already have the beginning of this turn, which the actions will send again.
    const turns = this.chat.turns.filter(({ startedAt }) => startedAt < at);
    if (turns.length < this.chat.turns.length)
      this.act({ type: "chat/truncated", ...present({ turnId: turns.at(-1)?.id }) });
    this.#run = { runId, turnId: runId, isSeen: true, cancelledBy: null, isExact: true };
    const message = { text, origin: { kind: "user" } };
    this.act({ type: "chat/turnStarted", turnId: runId, startedAt: at, message });
  }

  #sendParts(state: ChatState | null): void {
    const { messages, sequence } = this.#live;
    const run = this.#run;
    if (run === null) {
      if (sequence !== null && sequence > this.#lastSequence && state?.running == null) this.#sendWholeTurn();
      return;
    }
    if (sequence !== null && sequence > this.#lastSequence) run.isSeen = true;
    const isOfRun = sequence !== null && sequence > this.#lastSequence;
    const { parts, waiting } = withQuestions(
      isOfRun ? toParts(messages.slice(1), this.#place) : [],
      state?.questions ?? [],
      (approvalId) => this.#isDue(approvalId),
    );
    const told = actionsForParts(this.chat, { id: run.turnId, parts });
    run.isExact = told.isExact;
    for (const action of told.actions) this.act(action);
    this.#sendQuestions(run.turnId, waiting);
  }

  /** Sends a whole turn that ended so soon that no state showed it as running. */
  #sendWholeTurn(): void {
    const { messages } = this.#live;
    const ofOne = messages.map((one) => ({ ...one, turnId: `s${this.#live.sequence}` }));
    const [turn] = toTurns(ofOne, this.#place);
    if (turn === undefined || messages.some(({ message }) => message.metadata.partial === true)) return;
    this.#settle();
    for (const action of actionsOfTurn(turn)) this.act(action);
  }

  /** True when the call of a question should have arrived: a call arrives a moment after its question. */
  #isDue(approvalId: string): boolean {
    const due = this.#dueAt.get(approvalId);
    if (due !== undefined) return performance.now() >= due;
    this.#dueAt.set(approvalId, performance.now() + LIMITS.callMs);
    const sendAgain = async (): Promise<void> => {
      if (!this.#over.signal.aborted) this.#sendParts(this.#last);
    };
    setTimeout(() => void this.serial(sendAgain).catch(() => undefined), LIMITS.callMs + 1).unref();
    return false;
  }

  #sendQuestions(turnId: string, waiting: ReturnType<typeof withQuestions>["waiting"]): void {
    this.#asked = new Map([...waiting].map(([id, call]) => [call.toolCallId, id]));
    const known = this.session.inputNeeded ?? [];
    for (const { id } of known)
      if (!waiting.has(id)) this.actOnSession({ type: "session/inputNeededRemoved", id });
    for (const [id, toolCall] of waiting) {
      const told = known.find((one) => one.id === id)?.toolCall;
      if (JSON.stringify(told) === JSON.stringify(toolCall)) continue;
      const request = { id, chat: this.chat.resource, kind: "toolConfirmation", turnId, toolCall } as const;
      this.actOnSession({ type: "session/inputNeededSet", request });
    }
  }

  #end(run: CurrentRun, ended: ChatRun | undefined, state: ChatState): void {
    const { runId, turnId, cancelledBy } = run;
    this.#addEnded(runId);
    this.#sendParts({ ...state, questions: [] });
    this.#settle();
    this.#run = null;
    this.#dueAt.clear();
    const startedAt = this.chat.activeTurn?.startedAt ?? "";
    const duration = Math.max(0, Date.now() - Date.parse(startedAt)) || 0;
    const origin = cancelledBy ?? undefined;
    if (ended === undefined) this.act({ type: "chat/turnComplete", turnId, duration });
    else if (ended.status === "cancelled") this.act({ type: "chat/turnCancelled", turnId, duration }, origin);
    else {
      const part = toErrorPart(ended.message ?? `the turn was ${ended.status}`);
      this.act({ type: "chat/error", turnId, duration, part });
    }
    if (!run.isExact) this.#correct();
    this.#takeNativeTurns([]);
    this.sendWaiting();
  }

  #addEnded(runId: string): void {
    this.#ended.add(runId);
    keepNewest(this.#ended, LIMITS.endedTurns);
  }

  /** Corrects the newest turn, so that its parts match its messages. */
  #correct(): void {
    const turn = this.chat.turns.at(-1);
    if (turn === undefined) return;
    const error = turn.responseParts.filter(({ kind }) => kind === "error");
    const responseParts = [...toParts(this.#live.messages.slice(1), this.#place), ...error];
    for (const action of actionsForCorrection(this.chat, { ...turn, responseParts })) this.act(action);
  }

  /** Records that the messages so far belong to turns that have ended. */
  #settle(): void {
    this.#lastSequence = Math.max(this.#lastSequence, ...this.#live.messages.map(sequenceOf));
  }
}

function badCursor(cause?: unknown): ContinuoError {
  return new ContinuoError("invalid", "the cursor does not come from this chat", { cause });
}

function toBadCursor(error: unknown): never {
  throw isContinuoError(error, "not_found") ? badCursor(error) : error;
}
