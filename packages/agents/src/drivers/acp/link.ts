/** One native session of an ACP agent that runs: the ways into it, its turns, and what it tells between them. */

import {
  type AgentCommand,
  type AgentEvent,
  type AgentSession,
  type Block,
  type CallOptions,
  type ContextUse,
  ContinuoError,
  type Message,
  type OpenConversation,
  present,
  type Restriction,
  type SessionCapabilities,
} from "@continuo/core/model";
import { isJson, type Json } from "@continuo/files";
import {
  type AgentTurn,
  type AskPermission,
  answererOf,
  askPermission,
  type CascadeStep,
  type DriverOptions,
  driverEnvironment,
  type Link,
  limitsOf,
  type OpenedSession,
  type OpenOutcome,
  openAgentSession,
  restrictionOf,
  toCommands,
  toContextUse,
  trustOf,
  type Ways,
} from "../link/index.ts";
import { waitUntilIdle } from "../process/index.ts";
import { assertHoldable, type FolderTrust } from "../trust/index.ts";
import { type AcpConnection, type AcpListener, type AcpRequestOptions, connectAcp } from "./connection.ts";
import { toContent } from "./content.ts";
import { spentBefore } from "./earlier-usage.ts";
import type { ProtocolVersion } from "./initialize.ts";
import { type LoadedHistory, messagesOf, noteUpdate } from "./loaded-history.ts";
import { toOutcome, toPermissionRequest } from "./permission.ts";
import { type AcpPolicy, joinPolicies, modeFor, policyOf } from "./policies.ts";
import type { AcpProgram } from "./programs.ts";
import { createRecordedCalls, type RecordedCalls, readCallsOf } from "./recorded-calls.ts";
import { listPages } from "./sessions.ts";
import { chooseSettings, type Settings } from "./settings.ts";
import { greetingIn, isGreeting, toNotice } from "./unprompted.ts";
import { costIn, eventsOf, newUpdateState, type UpdateState, usageOf } from "./updates.ts";

/** Some agents send parts of a session's history after their answer to `session/load`. */
const QUIET_MS = 250;
const QUIET_LIMIT_MS = 10_000;
/** Updates between turns are reported with the next turn, only the newest of each. */
const MAX_BETWEEN = 64;
const CLOSE_LIMIT_MS = 2_000;

export interface LinkStart {
  readonly program: AcpProgram;
  readonly options: DriverOptions;
  readonly open: OpenConversation;
  readonly protocol: ProtocolVersion;
  readonly onClose: (link: AcpLink) => void;
}

/** Errors: `agent_missing`, `agent_failed`, `unsupported`, `invalid`. The session is opened by `enter`. */
export async function startLink(start: LinkStart): Promise<AcpLink> {
  const link = new AcpLink(start);
  const { program, options, open, protocol } = start;
  const { cwd, signal } = open;
  const { policy, trust } = link;
  modeFor(policy, { ...open, env: driverEnvironment(options) });
  if (program.followsProjects) assertHoldable(program.label, trust);
  await link.connect((listener) =>
    connectAcp({ program, options, cwd, protocol, policy, trust, signal, listener }),
  );
  return link;
}

export class AcpLink implements Link {
  readonly #start: LinkStart;
  #connection: AcpConnection | null = null;
  #sessionId = "";
  #turn: AgentTurn | null = null;
  /** Ends a turn of version 2, whose end comes as an update; says whether the prompt was taken. */
  #isTaken = false;
  #stopping = new AbortController();
  #state: UpdateState = newUpdateState();
  /** `null` where the protocol tells all of a call. */
  #calls: RecordedCalls | null = null;
  #between: AgentEvent[] = [];
  /** Not said yet. */
  #greeting: string | null = null;
  #told: LoadedHistory | null = null;
  #isLoading = false;
  /** What the session cost so far, in dollars; `null` where that is not known yet. */
  #spentUsd: number | null = 0;
  #askedAtMs = 0;
  /** Of the way that led into the session: it names the settings that there are. */
  #answer: Json = {};
  /** Of histories. */
  #updates = 0;
  #approvals = 0;
  #commands: readonly AgentCommand[] = [];
  #context: ContextUse | null = null;
  readonly #onPermission: AskPermission;
  readonly policy: AcpPolicy;
  readonly trust: FolderTrust;
  readonly restriction: Restriction | null;

  constructor(start: LinkStart) {
    this.#start = start;
    this.#onPermission = answererOf(start.open);
    const { open, options, program } = start;
    this.trust = trustOf(program.agent, open.cwd, options);
    this.restriction = restrictionOf(options, this.trust);
    this.policy = joinPolicies(policyOf(program, open.permissions), program.trust?.(this.trust.by) ?? {});
  }

  get sessionId(): string {
    return this.#sessionId;
  }

  get capabilities(): SessionCapabilities {
    return this.connection.hello.capabilities;
  }

  get context(): ContextUse | null {
    return this.#context;
  }

  async commands(): Promise<readonly AgentCommand[]> {
    return this.#commands;
  }

  get connection(): AcpConnection {
    if (this.#connection === null) throw new Error("not connected yet");
    return this.#connection;
  }

  get history(): readonly Message[] | undefined {
    return this.#told === null ? undefined : messagesOf(this.#told);
  }

  async connect(connect: (listener: AcpListener) => Promise<AcpConnection>): Promise<void> {
    const connection = await connect({
      onUpdate: (params) => this.#update(params),
      onOdd: async (details) => await this.#tell([{ type: "diagnostics", details }]),
      onPermission: (params, signal) => this.#permission(params, signal),
    });
    this.#connection = connection;
    // A turn of version 2 waits for no answer that would fail.
    const fail = async (): Promise<void> => {
      const why = await connection.gone();
      this.#turn?.fail(why);
    };
    fail().catch(() => undefined);
  }

  /** Into the session that is asked for. */
  async enter(): Promise<OpenedSession> {
    const { open, options } = this.#start;
    const opened = await openAgentSession(this.#ways(open), open, options);
    await this.#choose(open);
    return opened;
  }

  async resume(sessionId: string, { signal }: CallOptions): Promise<OpenedSession> {
    const { cwd, wantHistory = false, resumeBy } = this.#start.open;
    const open = present({ cwd, wantHistory, resumeSessionId: sessionId, resumeBy, signal });
    const before = this.#sessionId;
    const opened = await openAgentSession(this.#ways(open), open, this.#start.options);
    await this.#choose(open);
    if (before !== this.#sessionId) await this.#closeSession(before);
    return opened;
  }

  async say(blocks: readonly Block[], turn: AgentTurn): Promise<void> {
    const { hello } = this.connection;
    this.#turn = turn;
    this.#askedAtMs = Date.now();
    this.#state = newUpdateState();
    this.#calls = this.#recordedCalls();
    this.#stopping = new AbortController();
    this.#isTaken = false;
    try {
      for (const event of this.#between.splice(0)) await turn.push(event);
      const prompt = toContent(blocks, hello.prompt);
      const params = { sessionId: this.#sessionId, prompt };
      const answer = await this.connection.call("session/prompt", params, {
        limitMs: Number.POSITIVE_INFINITY,
      });
      this.#isTaken = true;
      await this.#tell((await this.#calls?.rest()) ?? []);
      if (hello.protocol === 1) turn.end(String(answer.stopReason ?? "end_turn"), usageOf(answer));
    } catch (error) {
      await this.#tell((await this.#calls?.rest()) ?? []);
      // Some agents answer a prompt that was taken back with an error.
      if (turn.cancelled && isRefusal(error)) turn.end("cancelled");
      else turn.fail(error as Error);
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.connection.notify("session/cancel", { sessionId: this.#sessionId });
  }

  giveUp(why: string): ContinuoError {
    this.#start.onClose(this);
    const error = this.connection.failed(why);
    // It is ended by force where it does not end by itself; nobody waits for that.
    this.connection.close().catch(() => undefined);
    return error;
  }

  async close(): Promise<void> {
    this.#start.onClose(this);
    this.#stopping.abort();
    if (this.#turn === null || this.#turn.ended) await this.#closeSession(this.#sessionId);
    await this.connection.close();
  }

  async list(options: CallOptions): Promise<readonly AgentSession[]> {
    return await listPages(this.connection, {
      cwd: this.#start.open.cwd,
      ...this.#asking(options, "callMs"),
    });
  }

  #ways(open: OpenConversation): Ways {
    const { program } = this.#start;
    const { hello } = this.connection;
    const { canFork, canLoad, canResume } = hello.capabilities;
    const load: (id: string) => CascadeStep<OpenOutcome> = (sessionId) => ({
      step: hello.protocol === 1 ? "session/load" : "session/resume with replay",
      offered: canLoad,
      run: () => this.#load(sessionId, open),
    });
    const resume: (id: string) => CascadeStep<OpenOutcome> = (sessionId) => ({
      step: "session/resume",
      offered: canResume,
      run: () => this.#begin("session/resume", { sessionId }, open),
    });
    return {
      agent: program.label,
      name: program.agent,
      begin: () => this.#begin("session/new", {}, open),
      list: () => this.list(open),
      resume: (id) => (isLoadFirst(open) ? [load(id), resume(id)] : [resume(id), load(id)]),
      fork: (sessionId) => [
        {
          step: "session/fork",
          offered: canFork,
          run: () => this.#begin("session/fork", { sessionId }, open),
        },
      ],
    };
  }

  async #load(sessionId: string, open: OpenConversation): Promise<OpenOutcome> {
    const told: LoadedHistory = { updates: [] };
    this.#told = open.wantHistory === true ? told : null;
    this.#sessionId = sessionId;
    const isFirst = this.connection.hello.protocol === 1;
    const replay = isFirst ? {} : { replayFrom: { type: "start" } };
    const method = isFirst ? "session/load" : "session/resume";
    return await this.#begin(method, { sessionId, ...replay }, open);
  }

  /** `session/new` and its likes: their answers tell the session's id where it is a new one. */
  async #begin(method: string, params: Json, open: OpenConversation): Promise<OpenOutcome> {
    const asking = this.#asking(open, "openMs");
    this.#isLoading = true;
    this.#between = [];
    try {
      const { meta } = this.policy;
      const asked = {
        ...params,
        cwd: open.cwd,
        mcpServers: [],
        ...present({ _meta: meta }),
      };
      if (typeof params.sessionId === "string") this.connection.noteSession(params.sessionId);
      const answer = await this.connection.callKnown(method, asked, asking);
      const sessionId = answer.sessionId ?? params.sessionId;
      if (typeof sessionId === "string") this.connection.noteSession(sessionId);
      else throw this.connection.failed(`answered ${method} without a session id`);
      this.#sessionId = sessionId;
      this.#spentUsd = method === "session/new" ? 0 : null;
      this.#answer = answer;
      this.#greeting = greetingIn(answer);
      // Its answer came, then nothing for a moment: the history is complete.
      if (method !== "session/new") {
        await waitUntilIdle({ quietMs: QUIET_MS, limitMs: QUIET_LIMIT_MS, heard: () => this.#updates });
      }
      return { sessionId };
    } finally {
      this.#isLoading = false;
    }
  }

  /** After every way into the session: a missing setting is no reason to try another way, or another session. */
  async #choose(open: OpenConversation): Promise<void> {
    const asking = this.#asking(open, "openMs");
    const [sessionId, answer] = [this.#sessionId, this.#answer];
    this.#isLoading = true;
    try {
      await chooseSettings(this.connection, { sessionId, answer, asking, ...this.#chosen() });
    } finally {
      this.#isLoading = false;
    }
  }

  async #update({ sessionId, update }: Json): Promise<void> {
    if (!isJson(update)) return;
    if (sessionId === this.#sessionId || this.#isLoading) this.#note(update);
    if (this.#isLoading) {
      this.#updates += 1;
      if (this.#told !== null) noteUpdate(this.#told, update);
      // Updates about the history are not part of a turn; the title of the session is.
      const kept = eventsOf(update, newUpdateState()).filter(isStanding);
      await this.#tell(kept);
      return;
    }
    // An agent may talk about its sub-agents' sessions, too.
    if (sessionId !== this.#sessionId) {
      await this.#tell([{ type: "diagnostics", details: { sessionId, update } }]);
      return;
    }
    if (isGreeting(update, this.#greeting)) {
      this.#greeting = null;
      await this.#tell([{ type: "diagnostics", details: update }]);
      return;
    }
    if (update.sessionUpdate === "state_update" && this.connection.hello.protocol === 2) this.#state2(update);
    else {
      const cost = costIn(update);
      const events = eventsOf(
        cost === null ? update : { ...update, cost: await this.#costOf(cost) },
        this.#state,
      );
      await this.#tell((await this.#calls?.pass(events)) ?? events);
    }
  }

  /** What holds beyond a turn. */
  #note({ sessionUpdate, availableCommands, used, size }: Json): void {
    if (sessionUpdate === "available_commands_update") {
      this.#commands = toCommands(availableCommands, ({ input }) => (isJson(input) ? input.hint : ""));
    }
    if (sessionUpdate === "usage_update") this.#context = toContextUse(used, size) ?? this.#context;
  }

  /** Of this turn: an agent tells the sum of the session. `null` where it is not known. */
  async #costOf(totalUsd: number): Promise<Json | null> {
    const { open, options } = this.#start;
    const where = { sessionId: this.#sessionId, cwd: open.cwd, beforeMs: this.#askedAtMs };
    const before = this.#spentUsd ?? (await spentBefore(options, where));
    this.#spentUsd = totalUsd;
    if (before === null || before > totalUsd) return null;
    return { amount: Number((totalUsd - before).toFixed(9)), currency: "USD" };
  }

  #recordedCalls(): RecordedCalls | null {
    const { program, options } = this.#start;
    if (program.records === undefined) return null;
    const places = { home: options.places.home, env: driverEnvironment(options) };
    return createRecordedCalls(readCallsOf(program.records, () => this.#sessionId, places));
  }

  /** Snapshots of version 2: idle after the prompt was taken, or after running, is the turn's end. */
  #state2({ state, stopReason, usage }: Json): void {
    if (state === "running" || state === "requires_action") this.#isTaken = true;
    if (state !== "idle" || !this.#isTaken || this.#turn === null) return;
    if (stopReason === "error") this.#turn.fail(this.connection.failed("ended its turn with an error"));
    else this.#turn.end(typeof stopReason === "string" ? stopReason : "end_turn", usageOf({ usage }));
  }

  async #tell(events: readonly AgentEvent[]): Promise<void> {
    const turn = this.#turn;
    for (const event of events) {
      if (turn !== null && !turn.ended) await turn.push(event);
      else {
        this.#between.push(toNotice(event));
        if (this.#between.length > MAX_BETWEEN) this.#between.shift();
      }
    }
  }

  async #permission(params: Json, takenBack: AbortSignal): Promise<Json> {
    const turn = this.#turn;
    if (turn === null || turn.ended) return { outcome: "cancelled" };
    this.#approvals += 1;
    const request = toPermissionRequest(params, `${this.#sessionId}:${this.#approvals}`);
    const signal = AbortSignal.any([takenBack, this.#stopping.signal]);
    const decision = await askPermission({ turn, request, onPermission: this.#onPermission, signal });
    return toOutcome(decision, request);
  }

  /** Of every session that it goes to. */
  #chosen(): Pick<Settings, "model" | "mode" | "effort"> {
    const { open, options } = this.#start;
    return {
      model: open.model ?? options.model,
      mode: modeFor(this.policy, { ...open, env: driverEnvironment(options) }),
      effort: open.effort,
    };
  }

  /** Sent if the agent offers it; the program is ended whatever the answer. */
  async #closeSession(sessionId: string): Promise<void> {
    if (!this.capabilities.canClose || sessionId === "") return;
    await this.connection
      .call("session/close", { sessionId }, { limitMs: CLOSE_LIMIT_MS })
      .catch(() => undefined);
  }

  #asking({ signal }: CallOptions, limit: "openMs" | "callMs"): AcpRequestOptions {
    return { limitMs: limitsOf(this.#start.options)[limit], signal };
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ContinuoError && error.details.answer !== undefined;
}

/** Updates that stay true after the moment they arrive. */
function isStanding({ type }: AgentEvent): boolean {
  return type === "title" || type === "mode";
}

function isLoadFirst({ resumeBy, wantHistory = false }: OpenConversation): boolean {
  return resumeBy === undefined ? wantHistory : resumeBy === "load";
}
