/**
 * A conversation: a session in Continuo's store, and the agent that answers in it now. Between two turns, the
 * conversation can move to another session or to another agent. Its state is a value (`TalkState`); the class
 * `OpenTalk` carries out the effects of each change.
 */

import { resolve } from "node:path";
import {
  type AgentCommand,
  type AgentDriver,
  type ContextUse,
  ContinuoError,
  type Conversation,
  isContinuoError,
  present,
  type Session,
} from "@continuo/core/model";
import type { OpenedStore } from "@continuo/store";
import type { RunInput } from "@continuo/store/sessions";
import { isListedOnlyByAgent } from "../catalog/index.ts";
import type { AgentSettings, Configuration, ProjectTrust } from "../config/index.ts";
import type { EarlierTurn } from "./earlier-turn.ts";
import { folderOf } from "./folder.ts";
import { withGrantedBefore } from "./granted-before.ts";
import { TALK_LIMITS } from "./limits.ts";
import type { Origin } from "./origin.ts";
import type { OriginSessionOptions } from "./origin-session.ts";
import { createProgram, type Program } from "./program.ts";
import type { RepeatedInput } from "./repeated-input.ts";
import type { TurnOptions, TurnResult, WokenSession } from "./run.ts";
import { firstAgent, readTrustedSettings, toolServersOf } from "./settings.ts";
import { withSharedAnswers } from "./shared-questions.ts";
import {
  beginState,
  type Policy,
  saidBefore,
  step,
  type TalkChange,
  type TalkEffect,
  type TalkSetting,
  type TalkState,
} from "./state.ts";
import type { SayOptions, Talk, TalkOptions } from "./talk-types.ts";

/**
 * Errors: `not_found`, `invalid`, `untrusted`, `agent_missing`, `ambiguous`; those of `readToolServers`, and of the
 * store.
 */
export async function openTalk(options: TalkOptions): Promise<Talk> {
  const { flags, places } = options;
  const cwd = folderOf(resolve(places.cwd, flags.cwd ?? "."), null);
  const { trust, configuration } = await readTrustedSettings(places, cwd, options.askTrust);
  const toolServers = await toolServersOf(options, configuration);
  const talk = new OpenTalk({ ...options, toolServers }, trust, { cwd, flags, configuration });
  try {
    await talk.begin();
    return talk;
  } catch (error) {
    await talk.close();
    throw error;
  }
}

class OpenTalk implements Talk {
  readonly #options: TalkOptions;
  readonly #setting: TalkSetting;
  readonly #program: Program;
  #store: Promise<OpenedStore> | null = null;
  #state: TalkState;
  #last: Promise<unknown> = Promise.resolve();
  /** The newest change or turn that does not come from `queue`. A queued turn waits only for this one. */
  #lastAlone: Promise<unknown> = Promise.resolve();
  /** The inputs that a crash left unanswered: if the person sends one of them again, its run continues. */
  #woken: WokenSession | null = null;
  /** The origin of a copied session, until a turn of the copy is kept. If the first turn fails, the copy is deleted. */
  #copied: Origin | null = null;
  /** See `latestNativeTurn`. */
  #nativeTurn = 0;

  constructor(options: TalkOptions, trust: ProjectTrust, setting: TalkSetting) {
    this.#options = options;
    this.#setting = setting;
    const { ask } = options;
    const session = async () =>
      this.session === null ? null : { store: await this.store(), sessionId: this.session.sessionId };
    const shared = ask === undefined ? undefined : withSharedAnswers(ask, session);
    const asking = present({ ask: shared === undefined ? undefined : withGrantedBefore(shared, session) });
    this.#program = createProgram({ ...options, ...asking, trust, setting });
    this.#state = beginState(setting.flags.agent ?? firstAgent(setting, options.places), setting);
  }

  get cwd(): string {
    return this.#setting.cwd;
  }

  get configuration(): Configuration {
    return this.#setting.configuration;
  }

  get state(): TalkState {
    return this.#state;
  }

  get agent(): string {
    return this.#state.settings.name;
  }

  get settings(): AgentSettings {
    return this.#state.settings;
  }

  get mode(): string | null {
    return this.#state.mode;
  }

  get effort(): string | null {
    return this.#state.effort;
  }

  get session(): Session | null {
    return this.#state.session;
  }

  store(): Promise<OpenedStore> {
    this.#store ??= this.#options.openStore({ cacheBytes: TALK_LIMITS.storeCacheBytes });
    this.#store.catch(() => undefined);
    return this.#store;
  }

  async begin(): Promise<void> {
    const { resume, fork, continue: last, new: isNew, title } = this.#setting.flags;
    if (resume !== undefined) await this.resume(resume);
    else if (fork !== undefined) await this.fork(fork);
    else if (last) await this.continueLast();
    else if (isNew !== true && this.settings.session.alwaysContinue === true) await this.#continueIfAny();
    else await this.#program.start(this.#state);
    if (this.#options.newSession !== undefined) await this.#newSession(await this.store(), null);
    if (title !== undefined && this.session !== null) await this.setTitle(title);
    void this.store();
  }

  say(input: RunInput, options: SayOptions): Promise<TurnResult> {
    return this.#inOrder(() => this.#say(input, options));
  }

  queue(input: RunInput, options: SayOptions): Promise<TurnResult> {
    // This does not wait for other queued turns, because the store puts them in order.
    const done = this.#lastAlone.then(() => this.#say(input, options));
    this.#last = Promise.allSettled([this.#last, done]);
    return done;
  }

  async earlierTurn(inputId: string): Promise<EarlierTurn | null> {
    const { session } = this.#state;
    if (session === null) return null;
    const { findTurn } = await import("./earlier-turn.ts");
    return await findTurn(await this.store(), session.sessionId, inputId);
  }

  resume(id: string): Promise<void> {
    return this.#inOrder(async () => this.#take(await this.#find(id)));
  }

  continueLast(): Promise<void> {
    return this.#inOrder(async () => {
      const isByAgent = this.settings.session.continueLast === "agent";
      await this.#take(await (isByAgent ? this.#lastByAgent() : this.#lastByList()));
    });
  }

  fork(id: string | null): Promise<void> {
    return this.#inOrder(() => this.#fork(id));
  }

  switchAgent(name: string): Promise<void> {
    return this.#inOrder(() => this.#change({ type: "agent", name }));
  }

  setPermissions(policy: Policy): Promise<void> {
    return this.#inOrder(() => this.#change({ type: "permissions", policy }));
  }

  setMode(mode: string | null): Promise<void> {
    return this.#inOrder(() => this.#change({ type: "mode", mode }));
  }

  setEffort(effort: string | null): Promise<void> {
    return this.#inOrder(() => this.#change({ type: "effort", effort }));
  }

  setModel(model: string | null): Promise<void> {
    return this.#inOrder(() => this.#change({ type: "model", model }));
  }

  setTitle(title: string): Promise<void> {
    return this.#inOrder(async () => {
      await this.#copyAgain();
      const store = await this.store();
      const { sessionId } = this.session ?? (await this.#newSession(store, title));
      await this.#change({ type: "stored", session: await store.updateSession(sessionId, { title }) });
    });
  }

  async commands(): Promise<readonly AgentCommand[]> {
    return (await (await this.#opened())?.commands?.()) ?? [];
  }

  async context(): Promise<ContextUse | null> {
    return (await this.#opened())?.context ?? null;
  }

  async #opened(): Promise<Conversation | null> {
    return await (await this.#program.ready(this.#state)).opened();
  }

  async lister(): Promise<AgentDriver | null> {
    return await (await this.#program.ready(this.#state)).lister();
  }

  rest(): Promise<void> {
    return this.#program.rest();
  }

  async close(): Promise<void> {
    await this.#program.end();
    const store = (await this.#store?.catch(() => null)) ?? null;
    await store?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #inOrder<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#last.then(task);
    this.#last = done.catch(() => undefined);
    this.#lastAlone = this.#last;
    return done;
  }

  /**
   * Applies a change completely or not at all: if an effect fails, the state is the same as before, and the agent's
   * program has ended.
   */
  async #change(change: TalkChange): Promise<void> {
    const before = this.#state;
    const { state, effects } = step(before, change, this.#setting);
    this.#state = state;
    try {
      for (const effect of effects) await this.#perform(effect);
    } catch (error) {
      await this.#program.end();
      this.#state = before;
      throw error;
    }
  }

  async #perform({ type }: TalkEffect): Promise<void> {
    const state = this.#state;
    switch (type) {
      case "end program":
        return await this.#program.end();
      case "start program": {
        const isEarly = state.session === null || this.#options.startsEarly !== "in new sessions";
        return isEarly ? await this.#program.start(state) : undefined;
      }
      case "check program":
        return await this.#program.check(state);
      case "wake": {
        if (state.session !== null) await this.#wake(state.session);
      }
    }
  }

  async #wake(session: Session): Promise<void> {
    const { wakeSession } = await import("./run.ts");
    const store = await this.store();
    const { places, note } = this.#options;
    this.#woken = await wakeSession({ store, session, places, cwd: this.cwd, note });
    await this.#change({ type: "stored", session: this.#woken.session });
    await this.#takeNativeTurns();
  }

  /** True if the log has turns of the agent's own program that it did not have at the last call. */
  async #takeNativeTurns(signal?: AbortSignal): Promise<boolean> {
    const [before, { session }, { places, note }] = [this.#nativeTurn, this, this.#options];
    this.#nativeTurn = 0;
    if (session === null) return false;
    const [{ latestNativeTurn }, store] = await Promise.all([import("./native-turns.ts"), this.store()]);
    this.#nativeTurn = await latestNativeTurn({ store, session, places, note, signal });
    return this.#nativeTurn !== before;
  }

  async #say(input: RunInput, options: SayOptions): Promise<TurnResult> {
    await this.#copyAgain();
    // A program that is open does not know what its agent's other program wrote, so it starts again.
    if (await this.#takeNativeTurns(options.signal)) await this.#program.end();
    const [agent, store, { isGivenToAnother, withoutNewest }] = await Promise.all([
      this.#program.ready(this.#state),
      this.store(),
      import("./repeated-input.ts"),
    ]);
    const before = saidBefore(this.#state);
    const session = this.session ?? (await this.#newSession(store, input));
    await this.#change({ type: "turn", session });
    let search = this.#woken;
    this.#woken = null;
    for (;;) {
      const repeated = search === null ? null : await this.#repeated(input, search, options);
      const others = search === null ? null : withoutNewest(search);
      // A crash may have left several inputs unanswered; the person can send each of them again.
      if (repeated !== null) this.#woken = others;
      try {
        return await this.#turn({ store, agent, session, before, input }, options, repeated);
      } catch (error) {
        if (repeated === null || !isGivenToAnother(error)) throw error;
        search = others;
      }
    }
  }

  async #turn(
    turn: Pick<TurnOptions, "store" | "agent" | "session" | "before" | "input">,
    { onEvent, signal, ...turnInput }: SayOptions,
    repeated: RepeatedInput | null,
  ): Promise<TurnResult> {
    const { store, session } = turn;
    const { runTurn } = await import("./run.ts");
    const whole = {
      ...turn,
      session: repeated?.session ?? session,
      onEvent,
      signal,
      flags: this.#setting.flags,
      turnInput: repeated === null ? turnInput : { ...turnInput, retryOf: repeated.runId },
      settings: this.settings,
      continuation: this.#setting.configuration.continuation,
      note: this.#options.note,
      isHeard: repeated?.isHeard === true,
    };
    try {
      const ended = await this.#program.whileSaying(() => runTurn(whole));
      await this.#change({ type: "stored", session: ended.isKept ? ended.session : null });
      if (ended.isKept) this.#copied = null;
      return ended;
    } catch (error) {
      // A first turn that failed may have deleted its session.
      const left = (await store.getSession(session.sessionId).catch(() => session)) ?? null;
      await this.#change({ type: "stored", session: left });
      throw error;
    }
  }

  /**
   * Finds the interrupted run that had the same input, so that the agent does not receive the input twice. Returns
   * `null` if there is no such run, or if the caller names the run with `retryOf`.
   */
  async #repeated(
    input: RunInput,
    woken: WokenSession,
    { retryOf, signal }: SayOptions,
  ): Promise<RepeatedInput | null> {
    const { session } = this;
    if (retryOf !== undefined || session === null) return null;
    const { findRepeated } = await import("./repeated-input.ts");
    const sources = { store: await this.store(), places: this.#options.places, cwd: this.cwd };
    return await findRepeated(input, { ...sources, session, woken, signal });
  }

  async #newSession(store: OpenedStore, input: RunInput | null): Promise<Session> {
    const inputTitle = input === null ? undefined : (await import("./run.ts")).titleOf(input);
    const title = this.#setting.flags.title ?? inputTitle;
    const named = present({ ...this.#options.newSession, title });
    const session = await store.createSession({ ...named, agent: this.agent, cwd: this.cwd });
    await this.#change({ type: "stored", session });
    return session;
  }

  /** Errors: those of `findOrigin`. */
  async #find(id: string): Promise<Origin> {
    const { places } = this.#options;
    const { configuration } = this;
    const lister = (): Promise<AgentDriver | null> =>
      isListedOnlyByAgent(this.agent) ? this.lister() : Promise.resolve(null);
    const { findOrigin } = await import("./origin.ts");
    return await findOrigin(id, { store: await this.store(), places, configuration, lister });
  }

  /** Continues the last session of this agent in the folder, if there is one. */
  async #continueIfAny(): Promise<void> {
    const isByAgent = this.settings.session.continueLast === "agent";
    try {
      await this.#take(await (isByAgent ? this.#lastByAgent() : this.#lastByList(this.agent)), this.agent);
    } catch (error) {
      if (!isContinuoError(error, "not_found")) throw error;
      await this.#program.start(this.#state);
    }
  }

  async #lastByList(agent = this.#setting.flags.agent ?? null): Promise<Origin> {
    const lister = isListedOnlyByAgent(this.agent) ? await this.lister() : null;
    const store = await this.store();
    const { lastOrigin } = await import("./origin.ts");
    return await lastOrigin({ store, places: this.#options.places }, { cwd: this.cwd, agent, lister });
  }

  async #lastByAgent(): Promise<Origin> {
    const { places, note } = this.#options;
    const store = await this.store();
    // The running program may have that session open, and two programs must not continue one session.
    await this.#program.end();
    const agent = await this.#program.ready(this.#state);
    const { lastOriginByAgent } = await import("./origin.ts");
    return await lastOriginByAgent(agent, { store, places, cwd: this.cwd, note });
  }

  async #fork(id: string | null): Promise<void> {
    if (id === null) await this.#copyAgain();
    const store = await this.store();
    const { session } = this;
    const current: Origin | null = session === null ? null : { type: "own", session };
    let origin = id === null ? current : await this.#find(id);
    if (origin === null)
      throw new ContinuoError("not_found", "cannot fork this session: it has no message yet");
    if (origin.type === "told") origin = { type: "own", session: await this.#importReportedOrigin(origin) };
    const { forkOrigin } = await import("./fork.ts");
    const { places, note } = this.#options;
    const forked = await forkOrigin(origin, { store, places, cwd: this.cwd });
    const messages = forked.messages === 1 ? "message" : `${forked.messages} messages`;
    note(`forked: a new session ${forked.session.sessionId} with the same ${messages}`);
    // A copy of this session continues with the current agent, not with the one of the last turn.
    await this.#enter(forked.session, id === null ? { agent: this.agent } : {});
  }

  /** Continues with the session's own agent, unless one is named. */
  async #take(origin: Origin, agent?: string): Promise<void> {
    if (origin.type === "own") return await this.#enter(origin.session, present({ agent }));
    const session = await (origin.type === "told"
      ? this.#importReportedOrigin(origin)
      : this.#importOrigin(origin));
    try {
      await this.#enter(session, present({ isFresh: true, agent }));
    } catch (error) {
      await (await this.store()).deleteSession(session.sessionId, { reason: "it could not be continued" });
      throw error;
    }
    this.#copied = origin;
  }

  /** Copies the origin again if a failed first turn has deleted the copy. */
  async #copyAgain(): Promise<void> {
    if (this.session === null && this.#copied !== null) await this.#take(this.#copied, this.agent);
  }

  async #importOrigin(origin: Extract<Origin, { type: "native" }>): Promise<Session> {
    const { importOrigin } = await import("./origin-session.ts");
    return await importOrigin(origin, await this.#taking(this.cwd));
  }

  async #enter(
    session: Session,
    { isFresh = false, agent }: { readonly isFresh?: boolean; readonly agent?: string } = {},
  ): Promise<void> {
    this.#copied = null;
    const { sessionId, cwd } = session;
    if (cwd !== null) folderOf(cwd, { agent: "continuo", sessionId, to: agent ?? this.agent });
    await this.#change(present({ type: "enter", session, isFresh, open: this.#program.place, agent }));
  }

  /** Asks the agent itself for the history. The agent has the session open after this call. */
  async #importReportedOrigin(origin: Extract<Origin, { type: "told" }>): Promise<Session> {
    const { agent, sessionId, cwd: folder } = origin.told;
    const cwd = folder ?? this.cwd;
    const { place } = this.#program;
    const before = this.#state;
    const isOpen = agent === this.agent && place?.nativeId === sessionId && place.cwd === cwd;
    await this.#change({ type: "agent", name: agent, ...(isOpen ? { keep: true } : {}) });
    try {
      const program = await this.#program.ready(this.#state);
      const { history = [] } = await program.enter({ cwd, resumeSessionId: sessionId, wantHistory: true });
      const { importReportedOrigin } = await import("./origin-session.ts");
      return await importReportedOrigin(origin, history, await this.#taking(cwd));
    } catch (error) {
      await this.#program.end();
      this.#state = before;
      throw error;
    }
  }

  async #taking(cwd: string): Promise<OriginSessionOptions> {
    const { places, note, onProgress } = this.#options;
    return { store: await this.store(), places, cwd, note, onProgress };
  }
}
