/**
 * A conversation: a session of Continuo's, and the agent that it is with now. It may be given another session, or
 * another agent, between two turns.
 */

import { resolve } from "node:path";
import type { ToldSession } from "../catalog/index.ts";
import { isToldAlone } from "../catalog/index.ts";
import { type AgentSettings, type Configuration, restrictionFor } from "../config/index.ts";
import { type AskPermission, permissionsBy } from "../drivers/link/index.ts";
import type { PlacesAt } from "../files/index.ts";
import {
  type AgentDriver,
  type AgentEvent,
  ContinuoError,
  isContinuoError,
  type Session,
} from "../model/index.ts";
import type { OpenedStore } from "../store/index.ts";
import { createAgent, type TalkingAgent } from "./agents.ts";
import type { EarlierTurn } from "./earlier.ts";
import type { TalkFlags } from "./flags.ts";
import { folderOf } from "./folder.ts";
import { nativeIdOf } from "./native-id.ts";
import type { Origin } from "./origin.ts";
import { describeRestriction } from "./restrictions.ts";
import type { TurnInput, TurnResult } from "./run.ts";
import { defaultAgent, readSettings, settingsOf } from "./settings.ts";

export interface TalkOptions {
  readonly flags: TalkFlags;
  readonly places: PlacesAt;
  /** Called once, when the store is first needed. */
  readonly openStore: () => Promise<OpenedStore>;
  /** Puts a question to the person; left out where nobody is there. */
  readonly ask?: AskPermission;
  /** Whether the agent's program stays between turns. */
  readonly keepOpen: "session" | "turn";
  /** Told what happens beside the turns: a session taken up, input that nobody answered. */
  readonly note: (text: string) => void;
  /** Says how far long work has come; an empty text when it is done. */
  readonly onProgress: (text: string) => void;
}

export interface SayOptions extends TurnInput {
  readonly onEvent: (event: AgentEvent) => Promise<void>;
  readonly signal: AbortSignal;
}

export class Talk implements AsyncDisposable {
  readonly cwd: string;
  readonly configuration: Configuration;
  readonly #options: TalkOptions;
  #store: Promise<OpenedStore> | null = null;
  #agent: TalkingAgent | null = null;
  #settings: AgentSettings;
  #session: Session | null = null;
  #mode: string | null = null;
  /** What the person said in this conversation; `null`: the configuration, or a flag, says it. */
  #policy: AgentSettings["permissions"]["policy"] | null = null;
  /** A native session that was asked for by name, and not yet gone on with: what is missing is no surprise to hide. */
  #isFresh = false;
  /** By `performance.now()`: until then the agent's driver lets its session rest. */
  #waitsUntilMs = 0;
  #isSaying = false;
  /** Lines that were told. */
  readonly #restrictions = new Set<string>();

  /** Errors: `not_found`, `invalid`, `untrusted`, `agent_missing`, `ambiguous`; the store's. */
  static async open(options: TalkOptions): Promise<Talk> {
    const { flags, places } = options;
    const cwd = folderOf(resolve(places.cwd, flags.cwd ?? "."));
    const talk = new Talk(options, { cwd, configuration: await readSettings(places, cwd) });
    try {
      await talk.#begin();
      return talk;
    } catch (error) {
      await talk.close();
      throw error;
    }
  }

  private constructor(options: TalkOptions, { cwd, configuration }: Pick<Talk, "cwd" | "configuration">) {
    const { flags } = options;
    this.#options = options;
    this.cwd = cwd;
    this.configuration = configuration;
    this.#settings = settingsOf(this.configuration, flags.agent ?? this.#firstAgent(), flags);
  }

  get agent(): string {
    return this.#settings.name;
  }

  get settings(): AgentSettings {
    return this.#settings;
  }

  /** The agent's own mode that was asked for. */
  get mode(): string | null {
    return this.#mode;
  }

  /** `null` before the first turn of a new one. */
  get session(): Session | null {
    return this.#session;
  }

  /** Opened when it is first needed: the agent's program starts first. */
  store(): Promise<OpenedStore> {
    this.#store ??= this.#options.openStore();
    this.#store.catch(() => undefined);
    return this.#store;
  }

  /** One turn. Errors: as `executeRun`. */
  async say(input: string, { onEvent, signal, ...turnInput }: SayOptions): Promise<TurnResult> {
    const [agent, store, { runTurn }] = await Promise.all([this.#ready(), this.store(), import("./run.ts")]);
    const begun = this.#session;
    const session = begun ?? (await this.#newSession(store, input));
    const before = begun === null ? "nothing" : this.#isFresh ? "elsewhere" : "here";
    this.#isFresh = false;
    const { flags, note } = this.#options;
    this.#isSaying = true;
    this.#tellWait();
    const turn = await runTurn({
      store,
      agent,
      session,
      input,
      onEvent,
      signal,
      note,
      flags,
      settings: this.#settings,
      continuation: this.configuration.continuation,
      before,
      turnInput,
    }).catch(async (error: unknown) => {
      // A first turn that failed may have taken its session with it.
      this.#isSaying = false;
      this.#session = (await store.getSession(session.sessionId).catch(() => session)) ?? null;
      throw error;
    });
    this.#session = turn.isKept ? turn.session : null;
    this.#isSaying = false;
    return turn;
  }

  /** The newest turn of this session with this input; `null` where there is none. */
  async earlierTurn(inputId: string): Promise<EarlierTurn | null> {
    const session = this.#session;
    if (session === null) return null;
    const { findTurn } = await import("./earlier.ts");
    return await findTurn(await this.store(), session.sessionId, inputId);
  }

  /** Errors: those of `findOrigin`. */
  async resume(id: string): Promise<void> {
    await this.#take(await this.#find(id));
  }

  /** Errors: `not_found`; those of opening it, where the agent says which one it is. */
  async continueLast(): Promise<void> {
    const { flags, places } = this.#options;
    if (this.#settings.session.continueLast === "agent") return await this.#continueByAgent();
    const agent = flags.agent ?? null;
    const lister = isToldAlone(this.agent) ? await this.lister() : null;
    const store = await this.store();
    const { lastOrigin } = await import("./origin.ts");
    await this.#take(await lastOrigin({ store, places }, { cwd: this.cwd, agent, lister }));
  }

  /** The driver that can be asked for the agent's own list; `null` where there is nothing to ask. */
  async lister(): Promise<AgentDriver | null> {
    return await (await this.#ready()).lister();
  }

  /** Goes on with a copy; of this session where none is named. Errors: those of `findOrigin`; `not_found`. */
  async fork(id: string | null): Promise<void> {
    const store = await this.store();
    const { places, note } = this.#options;
    const current: Origin | null = this.#session === null ? null : { type: "own", session: this.#session };
    let origin = id === null ? current : await this.#find(id);
    if (origin === null)
      throw new ContinuoError("not_found", "cannot fork this session: it has no message yet");
    if (origin.type === "told") origin = { type: "own", session: await this.#takeTold(origin.told) };
    const { forkOrigin } = await import("./fork.ts");
    const { session, messages } = await forkOrigin(origin, { store, places, cwd: this.cwd });
    note(
      `forked: a new session ${session.sessionId} with the same ${messages === 1 ? "message" : `${messages} messages`}`,
    );
    await this.#enter(session);
  }

  /** The same conversation goes on with another agent. Errors: `not_found`. */
  async switchAgent(name: string): Promise<void> {
    const settings = this.#settingsOf(name);
    await this.#leaveAgent();
    this.#talkTo(settings);
  }

  /**
   * Not every agent asks before it acts: its program is started again with another policy. It holds for every agent of
   * this conversation: who wants to be safe, or not to be asked, does not want less with the next one.
   */
  async setPermissions(policy: AgentSettings["permissions"]["policy"]): Promise<void> {
    if (policy !== this.#settings.permissions.policy) await this.#leaveAgent();
    this.#policy = policy;
    this.#settings = this.#settingsOf(this.agent);
  }

  /**
   * The agent's own, `null` its own choice; its program is started again with it, where it is known in which session.
   * Errors: those of opening it: the mode is what it was then.
   */
  async setMode(mode: string | null): Promise<void> {
    const before = this.#mode;
    await this.#leaveAgent();
    this.#mode = mode;
    try {
      await this.#tryOut();
    } catch (error) {
      await this.#leaveAgent();
      this.#mode = before;
      throw error;
    }
  }

  async setTitle(title: string): Promise<void> {
    const store = await this.store();
    const session = this.#session ?? (await this.#newSession(store, title));
    this.#session = await store.updateSession(session.sessionId, { title });
  }

  /** Starts the agent's program, so that the first turn need not wait for it. */
  async warmUp(): Promise<void> {
    const agent = await this.#ready();
    const next = this.#nextPlace();
    if (next !== null) agent.prepare(next.native, next.cwd);
  }

  async close(): Promise<void> {
    await this.#leaveAgent();
    const store = (await this.#store?.catch(() => null)) ?? null;
    await store?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #begin(): Promise<void> {
    const { resume, fork, continue: last } = this.#options.flags;
    if (resume !== undefined) await this.resume(resume);
    else if (fork !== undefined) await this.fork(fork);
    else if (last) await this.continueLast();
    else await this.warmUp();
    void this.store();
  }

  /** `null` where another session, or a replay, begins when it is known what is told. */
  #nextPlace(): { readonly native: string | null; readonly cwd: string } | null {
    const session = this.#session;
    const native = session === null ? null : nativeIdOf(session, this.agent);
    if (session !== null && native === null) return null;
    return { native, cwd: session?.cwd ?? this.cwd };
  }

  /** As `warmUp`, and what goes wrong is told at once. */
  async #tryOut(): Promise<void> {
    const agent = await this.#ready();
    const next = this.#nextPlace();
    if (next === null) return;
    const { native, cwd } = next;
    if (native === null) await agent.enter({ cwd });
    else if ((await agent.capabilities()).native) await agent.enter({ cwd, resumeSessionId: native });
  }

  #settingsOf(name: string): AgentSettings {
    const settings = settingsOf(this.configuration, name, this.#options.flags);
    if (this.#policy === null) return settings;
    return { ...settings, permissions: { ...settings.permissions, policy: this.#policy } };
  }

  /** A mode is named by the words of one agent. */
  #talkTo(settings: AgentSettings): void {
    if (settings.name !== this.agent) this.#mode = null;
    this.#settings = settings;
  }

  #firstAgent(): string {
    const { places, flags } = this.#options;
    try {
      return defaultAgent(this.configuration, places);
    } catch (error) {
      // The session tells which one it is.
      const isTold = flags.resume !== undefined || flags.fork !== undefined || flags.continue === true;
      if (isTold && isContinuoError(error, "agent_missing")) return "claude";
      throw error;
    }
  }

  /** Errors: those of `findOrigin`. */
  async #find(id: string): Promise<Origin> {
    const { places } = this.#options;
    const { configuration } = this;
    const lister = (): Promise<AgentDriver | null> =>
      isToldAlone(this.agent) ? this.lister() : Promise.resolve(null);
    const { findOrigin } = await import("./origin.ts");
    return await findOrigin(id, { store: await this.store(), places, configuration, lister });
  }

  /** Which one that is, is known when the agent is in it: its first turn finds it open. */
  async #continueByAgent(): Promise<void> {
    const { places, note } = this.#options;
    const { agent, cwd } = this;
    const store = await this.store();
    // What it has open now is no other program's to go on with.
    await this.#leaveAgent();
    const { sessionId, resumption } = await (await this.#ready()).enter({
      cwd,
      continueLast: true,
      continueBy: "agent",
      ...(isToldAlone(agent) ? { wantHistory: true } : {}),
    });
    if (resumption.steps?.[0]?.outcome === "not offered") {
      note(`${agent} has no way of its own to continue: the newest session of its list is used`);
    }
    const { originAt } = await import("./origin.ts");
    await this.#take(await originAt({ agent, sessionId, cwd }, { store, places }));
  }

  /** Its history is asked of the agent itself; what it does not tell stays with it alone. */
  async #takeTold(told: ToldSession): Promise<Session> {
    const { places, note } = this.#options;
    const { agent, sessionId } = told;
    const cwd = told.cwd ?? this.cwd;
    const before = { settings: this.#settings, mode: this.#mode };
    if (agent !== this.agent || this.#agent?.isAt(sessionId, cwd) !== true) await this.#leaveAgent();
    this.#talkTo(this.#settingsOf(agent));
    const entrance = { cwd, resumeSessionId: sessionId, wantHistory: true };
    const { history = [] } = await (await this.#ready()).enter(entrance).catch(async (error) => {
      await this.#leaveAgent();
      this.#settings = before.settings;
      this.#mode = before.mode;
      throw error;
    });
    const { takeUpTold } = await import("./take-up.ts");
    const taken = await takeUpTold(told, { history, store: await this.store(), places, cwd });
    const known = history.length === 0 ? "; only the agent knows its earlier messages" : "";
    note(`${agent}:${sessionId} is imported as session ${taken.session.sessionId}${known}`);
    return taken.session;
  }

  async #take(origin: Origin): Promise<void> {
    if (origin.type === "own") {
      await this.#enter(origin.session);
      return;
    }
    if (origin.type === "told") {
      await this.#enter(await this.#takeTold(origin.told));
      this.#isFresh = true;
      return;
    }
    const { takeUp } = await import("./take-up.ts");
    const { places, note, onProgress } = this.#options;
    const { agent, sessionId } = origin.found;
    const { session, leftOut } = await takeUp(origin.found, {
      store: await this.store(),
      places,
      cwd: this.cwd,
      onProgress: (count) =>
        onProgress(`importing ${agent}:${sessionId}: ${count === 1 ? "1 message" : `${count} messages`}`),
    }).finally(() => onProgress(""));
    const older =
      leftOut === 0 ? "" : `; its ${leftOut} oldest messages are known only to ${origin.found.agent}`;
    note(
      `${origin.found.agent}:${origin.found.sessionId} is imported as session ${session.sessionId}${older}`,
    );
    await this.#enter(session);
    this.#isFresh = true;
  }

  /** The agent is the session's own, unless another one was asked for. */
  async #enter(session: Session): Promise<void> {
    const { flags, note } = this.#options;
    if (session.cwd !== null) folderOf(session.cwd);
    const name = flags.agent ?? session.agent ?? this.agent;
    const native = nativeIdOf(session, name);
    const isOpen =
      name === this.agent && native !== null && this.#agent?.isAt(native, session.cwd ?? this.cwd) === true;
    if (!isOpen) await this.#leaveAgent();
    this.#talkTo(this.#settingsOf(name));
    this.#session = session;
    this.#isFresh = false;
    if (!isOpen) await this.warmUp();
    const { wakeSession } = await import("./run.ts");
    await wakeSession(await this.store(), session, note);
  }

  async #newSession(store: OpenedStore, input: string): Promise<Session> {
    const { titleOf } = await import("./run.ts");
    this.#session = await store.createSession({ agent: this.agent, cwd: this.cwd, title: titleOf(input) });
    return this.#session;
  }

  async #ready(): Promise<TalkingAgent> {
    if (this.#agent !== null) return this.#agent;
    const { places, ask, keepOpen } = this.#options;
    const { policy, timeoutMs } = this.#settings.permissions;
    const onPermission = permissionsBy({
      policy,
      timeLimitMs: timeoutMs,
      ...(ask === undefined ? {} : { ask }),
    });
    const mode = this.#mode === null ? {} : { mode: this.#mode };
    this.#tellRestriction();
    this.#agent = await createAgent({
      settings: this.#settings,
      places,
      cwd: this.cwd,
      onPermission,
      keepOpen,
      onWait: (waitMs) => {
        this.#waitsUntilMs = performance.now() + waitMs;
        if (this.#isSaying) this.#tellWait();
      },
      ...mode,
    });
    return this.#agent;
  }

  /** In a turn alone: before it nobody waits. */
  #tellWait(): void {
    const leftMs = this.#waitsUntilMs - performance.now();
    if (leftMs <= 0) return;
    const seconds = Math.ceil(leftMs / 1000);
    this.#options.note(
      `waiting ${seconds} s: ${this.agent} loses a session that it resumes in the minute it began in`,
    );
  }

  /** Before the agent starts; once for each agent and folder. */
  #tellRestriction(): void {
    const { places, note } = this.#options;
    const restriction = restrictionFor(this.#settings, places, this.#session?.cwd ?? this.cwd);
    for (const line of restriction === null ? [] : describeRestriction(this.agent, restriction)) {
      if (!this.#restrictions.has(line)) note(line);
      this.#restrictions.add(line);
    }
  }

  async #leaveAgent(): Promise<void> {
    const agent = this.#agent;
    this.#agent = null;
    await agent?.close();
  }
}
