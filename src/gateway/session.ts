/** One session of a connection: its choices, its turns, and the conversation that is opened with its first turn. */

import { randomUUID } from "node:crypto";
import type {
  ContentBlock,
  McpServer,
  SessionConfigOption,
  SessionModeState,
  SessionUpdate,
  StopReason,
} from "@agentclientprotocol/sdk/unstable";
import { OWN, type OwnRow, presentRefOf, toOwnRow } from "@continuo/agents/catalog";
import {
  checkAgent,
  openTalk,
  type Talk,
  type TalkFlags,
  type TalkOptions,
} from "@continuo/agents/conversations";
import {
  type AgentEvent,
  ContinuoError,
  isContinuoError,
  keepNewest,
  type Message,
  messageOf,
  type PermissionDecision,
  type PermissionPolicy,
  type PermissionRequest,
  present,
} from "@continuo/core/model";
import { isJson, type PlacesAt } from "@continuo/files";
import { CallIds } from "./call-ids.ts";
import type { EditorClient } from "./client.ts";
import {
  AGENT_OPTION,
  configOptionsOf,
  modesOf,
  PERMISSIONS_OPTION,
  type SessionChoices,
  toPolicy,
} from "./config-options.ts";
import { toBlocks } from "./content.ts";
import { loginWanted, ofFailedRun } from "./errors.ts";
import { type FollowStart, followStartOf, followTurnsOfOthers, newestPrompts } from "./follow-turns.ts";
import { parseId } from "./ids.ts";
import { KnownPrompts } from "./known-prompts.ts";
import { GATEWAY_LIMITS } from "./limits.ts";
import type { Logins } from "./logins.ts";
import { findSession } from "./look-up.ts";
import { NativeTurns, type NotedReplay } from "./native-turns.ts";
import { toDecision, toQuestion } from "./permission.ts";
import { receiptOf } from "./receipt.ts";
import { SessionReports } from "./session-reports.ts";
import { inTime, Stage, StageEntry, unlessAborted } from "./stage.ts";
import { toToolServers } from "./tool-servers.ts";
import { stopReasonOf, TurnUpdates } from "./updates.ts";

export interface SessionOptions {
  readonly id: string;
  /** The name of a session that exists; `null` for a new one. */
  readonly name: string | null;
  readonly places: PlacesAt;
  readonly openStore: TalkOptions["openStore"];
  readonly client: EditorClient;
  readonly logins: Pick<Logins, "chosen" | "isOffered">;
  readonly choices: SessionChoices;
  readonly mcpServers: readonly McpServer[];
  /** See `TalkOptions`. */
  readonly newSession?: TalkOptions["newSession"];
}

export interface PromptOptions {
  /** The id of the run, and of the message that asks for it. */
  readonly runId?: string;
  /** Aborts when the editor withdraws its request. */
  readonly withdrawn?: AbortSignal;
}

export class EditorSession {
  readonly #options: SessionOptions;
  #choices: SessionChoices;
  #talk: Promise<Talk> | null = null;
  readonly #stops = new Set<AbortController>();
  /** The newest runs of this connection. */
  readonly #runs = new Set<string>();
  #following: AbortController | null = null;
  /** Shows what other programs write into the native session. */
  readonly #native: NativeTurns;
  readonly #prompts = new KnownPrompts();
  /** Resolves when the follower has shown what was stored before it began, or has ended. */
  #caughtUp: Promise<void> = Promise.resolve();
  #turnEnded = Promise.withResolvers<void>();
  #isClosed = false;
  /** Turns of this connection and of others are shown one after the other. */
  readonly #stage = new Stage();
  /** True if another process began a turn while one ran here. */
  #isWanted = false;
  /** True if the conversation was opened before: it is then resumed, even if it was new. */
  #wasOpen = false;
  #updates: TurnUpdates;
  /** True if the agent was changed, and its first turn has not been answered. */
  #isHandedOver = false;
  readonly #reports: SessionReports;
  /** The ids of the session's calls, over all turns and the last replay. */
  #ids = new CallIds();
  #mcpServers: readonly McpServer[];

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#choices = options.choices;
    this.#mcpServers = options.mcpServers;
    this.#updates = new TurnUpdates(this.#ids);
    const { places, client } = options;
    this.#reports = new SessionReports(options.id, client);
    this.#native = new NativeTurns({
      places,
      ids: () => this.#ids,
      showsCompactions: client.showsCompactions,
      show: (update) => this.#update(update),
      enter: () => this.#stage.enter(),
      isSent: (message) => this.#isSent(message),
      note: (text) => client.note(this.id, text),
    });
  }

  get id(): string {
    return this.#options.id;
  }

  get configOptions(): SessionConfigOption[] {
    return configOptionsOf(this.#choices);
  }

  get modes(): SessionModeState {
    return modesOf(this.#choices);
  }

  /**
   * Shows the turns of other programs: those in the log, and those that come after the part of a native session that
   * was `shown`.
   */
  follow({ start, shown }: { readonly start?: FollowStart; readonly shown?: NotedReplay } = {}): void {
    // A turn can end after the session was closed.
    if (this.#isClosed) return;
    if (shown !== undefined) this.#native.follow(shown);
    if (this.#following !== null) return;
    const following = new AbortController();
    this.#following = following;
    const { promise, resolve: onCaughtUp } = Promise.withResolvers<void>();
    this.#caughtUp = promise;
    const { client } = this.#options;
    followTurnsOfOthers(this.id, {
      ...this.#followed,
      ...present({ start }),
      ids: () => this.#ids,
      turnEnded: () => this.#turnEnded.promise,
      onEnd: () => void this.followNative(),
      onBegin: () => void this.#release().catch(() => undefined),
      onCaughtUp,
      enter: () => this.#enterOfOthers(following.signal),
      show: (update) => this.#update(update),
      ask: async (request, { toolCallId, signal }) => {
        const question = toQuestion(request, { sessionId: this.id, toolCallId });
        return toDecision(await client.ask(question, signal), request);
      },
      signal: following.signal,
    })
      .catch((error: unknown) => {
        if (!following.signal.aborted)
          client.note(this.id, `turns of others are not shown: ${messageOf(error)}`);
      })
      // The next turn of this connection begins to follow again.
      .finally(() => {
        onCaughtUp();
        if (this.#following === following) this.#following = null;
      });
  }

  /**
   * Waits until the follower has shown what was stored before it began, but at most `catchUpMs` milliseconds, because a
   * turn of this connection can delay that.
   */
  async caughtUp(): Promise<void> {
    await inTime(this.#caughtUp, GATEWAY_LIMITS.catchUpMs);
  }

  /** Ends following for a replay. Returns what `follow` shows after it, which the replay leaves out. */
  async pauseFollowing(): Promise<FollowStart | null> {
    this.#following?.abort();
    this.#following = null;
    this.#native.end();
    return await followStartOf(this.id, this.#followed);
  }

  /** Follows the native session in which the conversation continues now. Never rejects. */
  async followNative(): Promise<void> {
    const { places, client } = this.#options;
    try {
      const { hit } = await findSession(this.id, places);
      if (hit.kind === "own") await this.#followNativeOf(hit.row);
    } catch (error) {
      if (isContinuoError(error, "not_found")) return;
      client.note(this.id, `turns of others are not shown: ${messageOf(error)}`);
    }
  }

  async #followNativeOf(row: OwnRow): Promise<void> {
    if (!this.#isClosed) await this.#native.followIn(presentRefOf(row));
  }

  /** True for a prompt of any program of Continuo; those of other programs are known while their log is followed. */
  async #isSent(message: Message): Promise<boolean> {
    if (this.#prompts.has(message)) return true;
    if (this.#following === null) return false;
    const sent = await newestPrompts(this.id, this.#options.places).catch(() => []);
    for (const prompt of sent.toReversed()) this.#prompts.add(prompt);
    return this.#prompts.has(message);
  }

  get #followed() {
    return { places: this.#options.places, isOwn: (runId: string) => this.#runs.has(runId) };
  }

  async #enterOfOthers(signal: AbortSignal): Promise<() => void> {
    const leave = await this.#stage.enter();
    if (!signal.aborted) await this.#options.client.turn(this.id, "running");
    return () => {
      leave();
      // A turn of this connection that waits is not idle.
      if (signal.aborted || this.#stops.size > 0) return;
      this.#options.client.turn(this.id, "idle").catch(() => undefined);
    };
  }

  /** True while turns of others are shown. */
  get isFollowed(): boolean {
    return this.#following !== null || this.#native.isFollowing;
  }

  get #isOfAgent(): boolean {
    const { name } = this.#options;
    return name !== null && parseId(name).agent !== OWN;
  }

  /** Begins new ids for a replay, which starts with the first call of the session. */
  beginIds(): CallIds {
    this.#ids = new CallIds();
    return this.#ids;
  }

  /** Starts the agent's program, so that the first turn need not wait. Errors: those of `openTalk`. */
  async open(): Promise<void> {
    await this.#opened();
    this.#tellCommands();
  }

  /** Errors: `invalid`; those of opening the conversation. */
  async choose(option: string, value: unknown): Promise<void> {
    if (option === PERMISSIONS_OPTION) await this.setPolicy(toPolicy(value));
    else if (option === AGENT_OPTION) await this.#setAgent(value);
    else throw new ContinuoError("invalid", `there is no option ${JSON.stringify(option)}`);
    await this.#update({ sessionUpdate: "current_mode_update", currentModeId: this.#choices.policy });
  }

  /** An agent takes the servers of its client only when it opens the session, so other ones need a restart. */
  async useServers(servers: readonly McpServer[]): Promise<void> {
    if (JSON.stringify(servers) === JSON.stringify(this.#mcpServers)) return;
    this.#mcpServers = servers;
    await this.restart();
  }

  async setPolicy(policy: PermissionPolicy): Promise<void> {
    await (await this.#talk)?.setPermissions(policy);
    this.#choices = { ...this.#choices, policy };
  }

  async #setAgent(value: unknown): Promise<void> {
    const { agents, agent } = this.#choices;
    if (typeof value !== "string" || !(agents.includes(value) || value === agent)) {
      throw new ContinuoError("invalid", `there is no agent ${JSON.stringify(value)} here`, {
        hint: `Choose one of ${agents.join(", ")}.`,
      });
    }
    if (value === agent) return;
    await checkAgent(value, this.#options);
    await (await this.#talk)?.switchAgent(value);
    this.#choices = { ...this.#choices, agent: value };
    // The first agent of a new session takes over from nobody.
    this.#isHandedOver = this.#options.name !== null || this.#runs.size > 0;
  }

  /** Runs one turn. Every update is written before it returns. Errors: those of `openTalk` and of a turn. */
  async prompt(
    prompt: readonly ContentBlock[],
    { runId = randomUUID(), withdrawn }: PromptOptions = {},
  ): Promise<StopReason> {
    const stop = new AbortController();
    this.#stops.add(stop);
    const signal = withdrawn === undefined ? stop.signal : AbortSignal.any([stop.signal, withdrawn]);
    const entry = new StageEntry(this.#stage, GATEWAY_LIMITS.stageMs);
    const input = toBlocks(prompt);
    const fromMs = Date.now();
    this.#prompts.add({ runId, input, fromMs, toMs: Number.POSITIVE_INFINITY });
    let talk: Talk | null = null;
    try {
      talk = await unlessAborted(this.#opened(), signal);
      const updates = new TurnUpdates(this.#ids);
      this.#updates = updates;
      this.#addRun(runId);
      const { result, session } = await talk.say(input, {
        // With an id, the session of a failed first turn is kept, because the editor will ask again in it. A copy of an
        // agent's session is not kept: the editor continues to see the agent's session, which its program may write to.
        ...present({ inputId: this.#isOfAgent ? undefined : randomUUID() }),
        runId,
        onNextRun: (next) => this.#addRun(next),
        signal,
        onEvent: async (event) => {
          await entry.enter();
          await this.#tell(event, updates);
        },
      });
      for (const update of updates.end()) await this.#update(update);
      if (result.resumption !== null && this.#isHandedOver) {
        this.#isHandedOver = false;
        await this.#reports.say(receiptOf(talk.agent, result.resumption));
      }
      await this.#reports.tellFacts(talk, session.title);
      if (result.status === "cancelled" || signal.aborted) return "cancelled";
      if (result.status === "max_steps") return "max_turn_requests";
      if (result.status === "completed") return stopReasonOf(result.stopReason);
      if (result.status !== "failed")
        throw new ContinuoError("agent_failed", `the turn was ${result.status}`);
      const { message, details = {} } = result.error;
      const { loginOf } = details;
      if (typeof loginOf === "string" && this.#options.logins.isOffered(loginOf)) throw loginWanted(message);
      throw ofFailedRun(result);
    } catch (error) {
      if (signal.aborted) return "cancelled";
      throw error;
    } finally {
      await entry.leave();
      this.#stops.delete(stop);
      this.#prompts.add({ runId, input, fromMs, toMs: Date.now() });
      this.follow();
      this.#turnEnded.resolve();
      this.#turnEnded = Promise.withResolvers();
      // If nothing of a first turn was kept, the session is still the agent's own.
      if (talk?.session) await this.#followNativeOf(toOwnRow(talk.session, ""));
      if (this.#isWanted) await this.#release();
    }
  }

  #addRun(runId: string): void {
    this.#runs.add(runId);
    keepNewest(this.#runs, GATEWAY_LIMITS.ownRuns);
  }

  /** Cancels every turn that runs or waits. */
  cancel(): void {
    for (const stop of this.#stops)
      stop.abort(new ContinuoError("interrupted", "the editor cancelled the turn"));
  }

  /**
   * Only one program of an agent can have the session open. If another process begins a turn, this program ends after
   * its present turn.
   */
  async #release(): Promise<void> {
    const isBusy = this.#stops.size > 0;
    this.#isWanted = isBusy;
    const talk = this.#talk;
    if (!isBusy) this.#talk = null;
    const opened = await talk?.catch(() => null);
    // A turn of this connection may wait for the other one.
    await (isBusy ? opened?.rest() : opened?.close());
  }

  /** Ends the agent's program, which starts again with the next turn. */
  async restart(): Promise<void> {
    await this.#release();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.cancel();
    this.#following?.abort();
    this.#native.end();
    const talk = await this.#talk?.catch(() => null);
    this.#talk = null;
    await talk?.close();
  }

  #opened(): Promise<Talk> {
    if (this.#talk !== null) return this.#talk;
    const opening = this.#open();
    this.#talk = opening;
    // The next turn tries again.
    opening.catch(() => {
      if (this.#talk === opening) this.#talk = null;
    });
    return opening;
  }

  async #open(): Promise<Talk> {
    const { name, places, openStore, client, newSession } = this.#options;
    const { agent, policy } = this.#choices;
    const isNew = name === null && !this.#wasOpen;
    // The session may have become one of Continuo's.
    const from: TalkFlags = isNew ? { new: true } : { resume: (await findSession(this.id, places)).name };
    const { toolServers, unknown } = toToolServers(this.#mcpServers);
    if (unknown.length > 0)
      client.note(this.id, `no agent is given these MCP servers: ${unknown.join(", ")}`);
    const talk = await openTalk(
      present({
        flags: { ...from, agent, permissions: policy },
        places,
        openStore,
        newSession: isNew ? newSession : undefined,
        toolServers,
        editor: this.#reports.editorPort({
          logins: this.#options.logins,
          idOfCall: (toolCallId) => this.#updates.idOfCall(toolCallId),
        }),
        keepOpen: "session",
        startsEarly: "in new sessions" as const,
        ask: (request: PermissionRequest, { signal }: { readonly signal: AbortSignal }) =>
          this.#ask(request, signal),
        note: (text: string) => client.note(this.id, text),
        onProgress: () => undefined,
      }),
    );
    this.#wasOpen = true;
    return talk;
  }

  async #tell(event: AgentEvent, updates: TurnUpdates): Promise<void> {
    for (const update of updates.of(event)) await this.#update(update);
    // The turn continues after such an error.
    if (event.type === "error") this.#options.client.note(this.id, event.message);
    if (event.type === "diagnostics" && isJson(event.details))
      await this.#reports.passOn(event.details, event.message);
  }

  async #ask(request: PermissionRequest, signal: AbortSignal): Promise<PermissionDecision> {
    const toolCallId = this.#updates.idOfCall(request.toolCallId ?? request.approvalId);
    const question = toQuestion(request, { sessionId: this.id, toolCallId });
    return toDecision(await this.#options.client.ask(question, signal), request);
  }

  /**
   * Sends the commands when the agent's program reports them. If the program does not start, its first turn reports
   * that.
   */
  #tellCommands(): void {
    this.#opened()
      .then(async (talk) => await this.#reports.tellCommands(await talk.commands()))
      .catch(() => undefined);
  }

  #update(update: SessionUpdate): Promise<void> {
    return this.#options.client.update(this.id, update);
  }
}
