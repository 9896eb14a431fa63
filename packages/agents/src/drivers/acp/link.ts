/** One native session of a running ACP agent: how it is opened, its turns, and its reports between turns. */

import {
  type AgentCommand,
  type AgentEvent,
  type Block,
  type CallOptions,
  type ContextUse,
  ContinuoError,
  type DriverSession,
  type Message,
  type OpenConversation,
  present,
  type Restriction,
  type SessionCapabilities,
  type ToolServer,
  type Usage,
} from "@continuo/core/model";
import { isJson, type Json } from "@continuo/files";
import {
  type AgentTurn,
  type AskPermission,
  answererOf,
  askPermission,
  type CascadeStep,
  chooseServers,
  type DriverOptions,
  driverEnvironment,
  type Link,
  limitsOf,
  type OpenedSession,
  type OpeningMethods,
  type OpenOutcome,
  openAgentSession,
  restrictionOf,
  type ServerSelection,
  toCommands,
  toContextUse,
  trustOf,
} from "../link/index.ts";
import { waitUntilIdle } from "../process/index.ts";
import { assertHoldable, type FolderTrust } from "../trust/index.ts";
import { type AcpConnection, type AcpListener, type AcpRequestOptions, connectAcp } from "./connection.ts";
import { toPrompt } from "./content.ts";
import { spentBefore } from "./earlier-usage.ts";
import { askEditor, editorAccess, noteEditor } from "./editor.ts";
import type { ProtocolVersion } from "./initialize.ts";
import {
  type AgentReports,
  createLoadingState,
  createTurnState,
  type LoadingState,
  NO_SESSION,
  type SessionState,
  type TurnState,
} from "./link-state.ts";
import { messagesOf, noteUpdate } from "./loaded-history.ts";
import { greetingIn, isGreeting, toNotice } from "./notices.ts";
import { toOutcome, toPermissionRequest } from "./permission.ts";
import { type AcpPolicy, joinPolicies, modeFor, policyOf } from "./policies.ts";
import type { AcpProgram } from "./programs.ts";
import { createRecordedCalls, readCallsOf } from "./recorded-calls.ts";
import { createRecordedErrors } from "./recorded-errors.ts";
import { readNewestOf } from "./recorded-history.ts";
import { listPages } from "./sessions.ts";
import { chooseSettings, type Settings } from "./settings.ts";
import { usageSince } from "./summed-usage.ts";
import { costIn, eventsOf, newUpdateState, usageOf } from "./updates.ts";

/** Some agents send parts of a session's history after their answer to `session/load`. */
const QUIET_MS = 250;
const QUIET_LIMIT_MS = 10_000;
/** Updates between turns are reported with the next turn; only this number of the newest ones is kept. */
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
  const access = editorAccess(open.editor, { policy: open.permissions ?? "ask", protocol });
  const editor = { ...access, login: () => open.editor?.login?.(program.agent) };
  if (program.followsProjects) assertHoldable(program.label, trust);
  await link.connect((listener) =>
    connectAcp({ program, options, cwd, protocol, policy, trust, editor, signal, listener }),
  );
  return link;
}

export class AcpLink implements Link {
  readonly #start: LinkStart;
  #connection: AcpConnection | null = null;
  #session: SessionState = { ...NO_SESSION };
  #current: TurnState = createTurnState();
  readonly #loading: LoadingState = createLoadingState();
  readonly #reports: AgentReports = { commands: [], context: null };
  /** Events between turns, which are reported with the next turn. */
  #between: AgentEvent[] = [];
  #permissionCount = 0;
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
    return this.#session.id;
  }

  get capabilities(): SessionCapabilities {
    return this.connection.hello.capabilities;
  }

  get context(): ContextUse | null {
    return this.#reports.context;
  }

  get leftOutServers(): readonly string[] {
    return this.#toolServers.leftOut;
  }

  /** The tool servers of the conversation, also for a session that is opened later in it. */
  get #toolServers(): ServerSelection {
    const { program, open } = this.#start;
    const isUntrusted = program.toolServersNeedTrust === true && this.trust.by === null;
    const takesNone = program.takesNoToolServers === true || isUntrusted;
    return chooseServers(open, takesNone ? [] : this.connection.hello.toolServers);
  }

  async commands(): Promise<readonly AgentCommand[]> {
    return this.#reports.commands;
  }

  get connection(): AcpConnection {
    if (this.#connection === null) throw new Error("not connected yet");
    return this.#connection;
  }

  get history(): readonly Message[] | undefined {
    const { history } = this.#loading;
    return history === null ? undefined : messagesOf(history);
  }

  async connect(connect: (listener: AcpListener) => Promise<AcpConnection>): Promise<void> {
    const connection = await connect({
      onUpdate: (params) => this.#update(params),
      onOdd: (odd) => this.#odd(odd),
      onPermission: (params, signal) => this.#permission(params, signal),
      onEditorRequest: (method, params, withdrawn) =>
        askEditor(this.#start.open.editor, {
          method,
          params,
          withdrawn,
          ended: this.#current.stopping.signal,
        }),
    });
    this.#connection = connection;
    // A turn of version 2 does not wait for an answer, so nothing else would report the failure.
    const fail = async (): Promise<void> => {
      const why = await connection.gone();
      this.#current.turn?.fail(why);
    };
    fail().catch(() => undefined);
  }

  /** Opens the session that was requested. */
  async enter(): Promise<OpenedSession> {
    const { open, options } = this.#start;
    const opened = await openAgentSession(this.#ways(open), open, options);
    await this.#choose(open);
    return opened;
  }

  async resume(sessionId: string, { signal }: CallOptions): Promise<OpenedSession> {
    const { cwd, wantHistory = false, resumeBy } = this.#start.open;
    const open = present({ cwd, wantHistory, resumeSessionId: sessionId, resumeBy, signal });
    const before = this.#session.id;
    const opened = await openAgentSession(this.#ways(open), open, this.#start.options);
    await this.#choose(open);
    if (before !== this.#session.id) await this.#closeSession(before);
    return opened;
  }

  async say(blocks: readonly Block[], turn: AgentTurn): Promise<void> {
    const { hello } = this.connection;
    const current = createTurnState(turn, this.#records());
    this.#current = current;
    try {
      for (const event of this.#between.splice(0)) await turn.push(event);
      const prompt = toPrompt(blocks, { agent: this.#start.program.label, abilities: hello.prompt });
      const params = { sessionId: this.#session.id, prompt };
      const answer = await this.connection.callKnown("session/prompt", params, {
        limitMs: Number.POSITIVE_INFINITY,
      });
      this.connection.forgetLogin();
      current.isAccepted = true;
      await this.#report((await current.calls?.rest()) ?? []);
      const ending = await current.errors?.end();
      await this.#report(ending?.events ?? []);
      const usage = this.#usageIn(answer);
      const reason = ending?.reason ?? null;
      if (reason !== null && !turn.cancelled) turn.fail(this.#couldNotAnswer(reason));
      else if (hello.protocol === 1) turn.end(String(answer.stopReason ?? "end_turn"), usage);
    } catch (error) {
      await this.#report((await current.calls?.rest()) ?? []);
      // Some agents answer a cancelled prompt with an error.
      if (turn.cancelled && isRefusal(error)) turn.end("cancelled");
      else turn.fail(error as Error);
    }
  }

  async stop(): Promise<void> {
    this.#current.stopping.abort();
    await this.connection.notify("session/cancel", { sessionId: this.#session.id });
  }

  giveUp(why: string): ContinuoError {
    this.#start.onClose(this);
    const error = this.connection.failed(why);
    // A program that does not end by itself is killed; no caller waits for that.
    this.connection.close().catch(() => undefined);
    return error;
  }

  async close(): Promise<void> {
    this.#start.onClose(this);
    const { turn, stopping } = this.#current;
    stopping.abort();
    if (turn === null || turn.ended) await this.#closeSession(this.#session.id);
    await this.connection.close();
  }

  async list(options: CallOptions): Promise<readonly DriverSession[]> {
    return await listPages(this.connection, {
      cwd: this.#start.open.cwd,
      ...this.#asking(options, "callMs"),
    });
  }

  #ways(open: OpenConversation): OpeningMethods {
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
    this.#loading.history = open.wantHistory === true ? { updates: [] } : null;
    this.#session = { ...this.#session, id: sessionId };
    const isFirst = this.connection.hello.protocol === 1;
    const replay = isFirst ? {} : { replayFrom: { type: "start" } };
    const method = isFirst ? "session/load" : "session/resume";
    return await this.#begin(method, { sessionId, ...replay }, open);
  }

  /** Calls `session/new` or a method like it. The answer has the id of a new session. */
  async #begin(method: string, params: Json, open: OpenConversation): Promise<OpenOutcome> {
    const asking = this.#asking(open, "openMs");
    this.#loading.isActive = true;
    this.#between = [];
    try {
      const { meta } = this.policy;
      const asked = {
        ...params,
        cwd: open.cwd,
        mcpServers: this.#toolServers.given.map((server) => toAcpServer(server, this.#start.program)),
        ...present({ _meta: meta }),
      };
      if (typeof params.sessionId === "string") this.connection.noteSession(params.sessionId);
      const opening = await this.connection.callKnown(method, asked, asking);
      const id = opening.sessionId ?? params.sessionId;
      if (typeof id === "string") this.connection.noteSession(id);
      else throw this.connection.failed(`answered ${method} without a session id`);
      const spentUsd = method === "session/new" ? 0 : null;
      this.#session = { id, opening, greeting: greetingIn(opening), spentUsd, used: null };
      // The history is complete when nothing has come for a moment after the answer.
      if (method !== "session/new") {
        const heard = (): number => this.#loading.updateCount;
        await waitUntilIdle({ quietMs: QUIET_MS, limitMs: QUIET_LIMIT_MS, heard });
      }
      return { sessionId: id };
    } finally {
      this.#loading.isActive = false;
    }
  }

  /** Runs after every way into the session: a missing setting is no reason to try another way, or another session. */
  async #choose(open: OpenConversation): Promise<void> {
    const asking = this.#asking(open, "openMs");
    const { id: sessionId, opening: answer } = this.#session;
    this.#loading.isActive = true;
    try {
      await chooseSettings(this.connection, { sessionId, answer, asking, ...this.#chosen() });
    } finally {
      this.#loading.isActive = false;
    }
  }

  async #update({ sessionId, update }: Json): Promise<void> {
    if (!isJson(update)) return;
    const loading = this.#loading;
    if (sessionId === this.#session.id || loading.isActive) this.#note(update);
    if (loading.isActive) {
      loading.updateCount += 1;
      if (loading.history !== null) noteUpdate(loading.history, update);
      // Updates about the history are not part of a turn. Only the title and the mode of the session are reported.
      await this.#report(eventsOf(update, newUpdateState()).filter(isStanding));
      return;
    }
    // An agent may report on its sub-agents' sessions, too.
    if (sessionId !== this.#session.id) {
      await this.#report([{ type: "diagnostics", details: { sessionId, update } }]);
      return;
    }
    if (isGreeting(update, this.#session.greeting)) {
      this.#session.greeting = null;
      await this.#report([{ type: "diagnostics", details: update }]);
      return;
    }
    if (update.sessionUpdate === "state_update" && this.connection.hello.protocol === 2) {
      this.#changeState(update);
    } else {
      const cost = costIn(update);
      const told = cost === null ? update : { ...update, cost: await this.#costOf(cost) };
      const events = eventsOf(told, this.#current.updates);
      const { calls, errors } = this.#current;
      const withCalls = (await calls?.pass(events)) ?? events;
      await this.#report((await errors?.pass(withCalls)) ?? withCalls);
    }
  }

  /** Stores a report that stays valid after a turn. */
  #note({ sessionUpdate, availableCommands, used, size }: Json): void {
    if (sessionUpdate === "available_commands_update") {
      this.#reports.commands = toCommands(availableCommands, ({ input }) =>
        isJson(input) ? input.hint : "",
      );
    }
    if (sessionUpdate === "usage_update") {
      this.#reports.context = toContextUse(used, size) ?? this.#reports.context;
    }
  }

  /** An agent reports the cost of the whole session. Returns what was added since; `null` if that is not known. */
  async #costOf(totalUsd: number): Promise<Json | null> {
    const { open, options } = this.#start;
    const where = { sessionId: this.#session.id, cwd: open.cwd, beforeMs: this.#current.askedAtMs };
    const before = this.#session.spentUsd ?? (await spentBefore(options, where));
    this.#session.spentUsd = totalUsd;
    if (before === null || before > totalUsd) return null;
    return { amount: Number((totalUsd - before).toFixed(9)), currency: "USD" };
  }

  /** Readers of the session file, which records more than the protocol reports. */
  #records(): Pick<TurnState, "calls" | "errors"> {
    const { program, options } = this.#start;
    if (program.records === undefined) return { calls: null, errors: null };
    const places = { home: options.places.home, env: driverEnvironment(options) };
    const read = readNewestOf(program.records, () => this.#session.id, places);
    const { errorWords } = program;
    if (errorWords === undefined) return { calls: createRecordedCalls(readCallsOf(read)), errors: null };
    return { calls: null, errors: createRecordedErrors(errorWords, read) };
  }

  #couldNotAnswer(reason: string): ContinuoError {
    return new ContinuoError("agent_failed", `${this.#start.program.label} could not answer: ${reason}`);
  }

  /** The usage of the turn that this answer ends. */
  #usageIn(answer: Json): Usage | undefined {
    const total = usageOf(answer);
    if (total === undefined || this.#start.program.sumsUsage !== true) return total;
    const usage = usageSince(total, this.#session.used);
    this.#session.used = total;
    return usage;
  }

  /** Version 2 reports states. A turn ends when the agent is idle after it accepted the prompt, or after it ran. */
  #changeState({ state, stopReason, usage }: Json): void {
    const current = this.#current;
    if (state === "running" || state === "requires_action") current.isAccepted = true;
    if (state !== "idle" || !current.isAccepted || current.turn === null) return;
    if (stopReason === "error") current.turn.fail(this.connection.failed("ended its turn with an error"));
    else current.turn.end(typeof stopReason === "string" ? stopReason : "end_turn", usageOf({ usage }));
  }

  async #report(events: readonly AgentEvent[]): Promise<void> {
    const { turn } = this.#current;
    for (const event of events) {
      if (turn !== null && !turn.ended) await turn.push(event);
      else {
        this.#between.push(toNotice(event));
        if (this.#between.length > MAX_BETWEEN) this.#between.shift();
      }
    }
  }

  async #permission(params: Json, withdrawn: AbortSignal): Promise<Json> {
    const { turn, stopping } = this.#current;
    if (turn === null || turn.ended) return { outcome: "cancelled" };
    this.#permissionCount += 1;
    const request = toPermissionRequest(params, `${this.#session.id}:${this.#permissionCount}`);
    const signal = AbortSignal.any([withdrawn, stopping.signal]);
    const decision = await askPermission({ turn, request, onPermission: this.#onPermission, signal });
    return toOutcome(decision, request);
  }

  async #odd(details: unknown): Promise<void> {
    if (!(await noteEditor(this.#start.open.editor, details)))
      await this.#report([{ type: "diagnostics", details }]);
  }

  /** The settings of every session that the link opens. */
  #chosen(): Pick<Settings, "model" | "mode" | "effort"> {
    const { open, options } = this.#start;
    return {
      model: open.model ?? options.model,
      mode: modeFor(this.policy, { ...open, env: driverEnvironment(options) }),
      effort: open.effort,
    };
  }

  /** Sends `session/close` if the agent offers it; the program is ended whatever the answer. */
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

/** A value of the caller is literal. A backslash stays one, because it is removed only before a dollar sign. */
function toAcpServer(server: ToolServer, { expandsToolServers }: AcpProgram): Json {
  const literal = (value: string): string =>
    expandsToolServers ? value.replaceAll("$", () => "\\$") : value;
  const pairs = (values: Readonly<Record<string, string>>): Json[] =>
    Object.entries(values).map(([name, value]) => ({ name, value: literal(value) }));
  return "url" in server
    ? { ...server, headers: pairs(server.headers) }
    : { ...server, env: pairs(server.env) };
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
