/** The host of all connections: the sessions that clients look at, the order of all actions, and the list. */

import { setTimeout as sleep } from "node:timers/promises";
import {
  ContinuoError,
  isContinuoError,
  keepNewest,
  listAll,
  messageOf,
  present,
} from "@continuo/core/model";
import type { MachineService, MachineSession } from "@continuo/core/wire/machine";
import { type ActionLog, createActionLog, type LogReader } from "./action-log.ts";
import { withoutDataIn } from "./attachments.ts";
import { AhpError, asSessionNotFound, sessionNotFound } from "./errors.ts";
import { LIMITS } from "./limits.ts";
import {
  type ActionEnvelope,
  type AgentInfo,
  AHP_ERRORS,
  ROOT_CHANNEL,
  type SessionSummary,
  type Snapshot,
  STATUS,
} from "./protocol.ts";
import { type FeedOptions, type Origin, SessionFeed } from "./session-feed.ts";
import { changesOf, keptSummary, toAgents, toSummary, withActivity } from "./summary.ts";
import {
  parseChatUri,
  parseEditUri,
  parseSessionUri,
  type SessionName,
  toChatUri,
  toFileUri,
  toSessionUri,
} from "./uris.ts";

/** A connection as the host sees it. */
export interface Reader {
  readonly clientId: string;
  readonly channels: ReadonlySet<string>;
  notify(method: string, params: object): void;
}

interface KeptFeed {
  /** `null` until the session is found. */
  feed: SessionFeed | null;
  readonly opened: Promise<SessionFeed>;
  /** The action log has the session's actions after this number. */
  readonly since: number;
  unusedSince: number | null;
}

/** A session that a client created and that has no message yet. */
export interface EmptySession {
  readonly provider: string;
  readonly cwd: string;
}

export interface HostOptions {
  readonly machine: MachineService;
  readonly now: () => number;
  readonly report: (line: string) => void;
}

export class AhpHost {
  readonly #options: HostOptions;
  readonly #readers = new Set<Reader>();
  readonly #feeds = new Map<string, KeptFeed>();
  readonly #drafts = new Map<string, EmptySession>();
  /** For sessions whose key changed after clients received their URI: the present key, by URI. `#uris` is the reverse. */
  readonly #keys = new Map<string, string>();
  readonly #uris = new Map<string, string>();
  readonly #over = new AbortController();
  readonly #log: ActionLog;
  readonly #timer: NodeJS.Timeout;
  #agents: readonly AgentInfo[] = toAgents([]);
  #watched: Promise<void> | null = null;
  #known = new Map<string, SessionSummary>();

  constructor(options: HostOptions) {
    this.#options = options;
    this.#log = createActionLog(options.now() * 1_000);
    this.#timer = setInterval(() => this.#sweep(), LIMITS.keptMs / 4).unref();
  }

  get serverSeq(): number {
    return this.#log.latest;
  }

  get machine(): MachineService {
    return this.#options.machine;
  }

  join(reader: Reader): void {
    this.#readers.add(reader);
  }

  leave(reader: Reader): void {
    this.#readers.delete(reader);
    const { clientId } = reader;
    for (const { feed } of this.#feeds.values()) {
      if (feed?.session.activeClients.some((one) => one.clientId === clientId) === true)
        feed.actOnSession({ type: "session/activeClientRemoved", clientId });
    }
  }

  /**
   * The name of a channel in the form in which the host writes it. Errors: those of the protocol, for an unknown
   * channel.
   */
  channelOf(given: string): string {
    if (given === ROOT_CHANNEL) return given;
    const chat = parseChatUri(given);
    if (chat !== null) return toChatUri(chat.uri);
    const session = parseSessionUri(given);
    if (session !== null) return session.uri;
    throw new AhpError(AHP_ERRORS.notFound, `there is no channel ${JSON.stringify(given.slice(0, 200))}`);
  }

  /** The session of a channel, read and followed. Errors: `sessionNotFound`. */
  async feedOf(channel: string): Promise<SessionFeed> {
    const name = parseChatUri(channel) ?? parseSessionUri(channel);
    if (name === null) throw sessionNotFound(channel);
    const known = this.#feeds.get(name.uri) ?? this.#open(name);
    known.unusedSince = this.#options.now();
    try {
      return await known.opened;
    } catch (error) {
      if (this.#feeds.get(name.uri) === known) this.#feeds.delete(name.uri);
      if (isContinuoError(error, "not_found")) throw sessionNotFound(name.uri);
      throw error;
    }
  }

  /**
   * Returns a function that returns the state of a channel. Call that function in the same turn of the event loop as the
   * code that adds the channel to the reader.
   *
   * @param turns the number of newest turns that the reader wants of a chat
   */
  async snapshot(channel: string, turns: number = Number.POSITIVE_INFINITY): Promise<() => Snapshot> {
    if (channel === ROOT_CHANNEL) {
      await this.#watch();
      return () => ({ resource: channel, state: { agents: this.#agents }, fromSeq: this.#log.latest });
    }
    const feed = await this.feedOf(channel);
    const isChat = parseChatUri(channel) !== null;
    return () => ({
      resource: channel,
      state: isChat ? feed.newest(turns) : feed.session,
      fromSeq: this.#log.latest,
    });
  }

  /** A text whose name the host gave out. Errors: `permissionDenied` for every other name, `notFound`. */
  async text(uri: string): Promise<string> {
    const name = parseEditUri(uri);
    if (name === null)
      throw new AhpError(
        AHP_ERRORS.permissionDenied,
        "Continuo serves only texts that a call of a session changed",
      );
    const found = await (await this.feedOf(name.session)).editText(name);
    if (found === null)
      throw new AhpError(AHP_ERRORS.notFound, "the call that changed this text is not found");
    return found;
  }

  /** The actions that a client has missed; `null` if it needs a snapshot. */
  missedBy(reader: LogReader, lastSeen: number): readonly ActionEnvelope[] | null {
    for (const channel of reader.channels) {
      const name = parseChatUri(channel) ?? parseSessionUri(channel);
      if (name === null) continue;
      const kept = this.#feeds.get(name.uri);
      if (kept === undefined || kept.since > lastSeen) return null;
    }
    return this.#log.after(lastSeen, reader);
  }

  emit(channel: string, action: ActionEnvelope["action"], origin?: Origin): void {
    const envelope = this.#log.append({ channel, action, ...present({ origin }) });
    for (const reader of this.#readers) if (reader.channels.has(channel)) reader.notify("action", envelope);
  }

  /** Reports a refused action only to the client that sent it. */
  refuse(
    reader: Reader,
    {
      channel,
      action,
      origin,
      reason,
    }: {
      readonly channel: string;
      readonly action: ActionEnvelope["action"];
      readonly origin: Origin;
      readonly reason: string;
    },
  ): void {
    const shown = withoutDataIn(action);
    reader.notify("action", this.#log.append({ channel, action: shown, origin, rejectionReason: reason }));
  }

  /** Conversations, the newest change first. */
  async list(): Promise<readonly SessionSummary[]> {
    // The pages are long, because the machine checks all sessions for each page.
    const pages = listAll(async (place) => {
      const query = { part: "conversations", archived: "include", limit: LIMITS.listed, ...place } as const;
      const { sessions, nextCursor } = await this.machine.sessions(query, this.#over.signal, "indexed");
      return { items: [sessions], nextCursor };
    });
    const rows = (await Array.fromAsync(pages)).flat();
    const items = rows.flatMap((row) => this.#summaryOf(row) ?? []);
    return items.toSorted((a, b) => (a.modifiedAt < b.modifiedAt ? 1 : a.modifiedAt > b.modifiedAt ? -1 : 0));
  }

  /** Errors: `sessionExists`, `providerNotFound`; those of the check of the folder. */
  async create(
    channel: string,
    { provider, folder }: { provider: string; folder: string | null },
  ): Promise<void> {
    const name = parseSessionUri(channel);
    if (name === null) throw new AhpError(AHP_ERRORS.invalidParams, "the channel does not name a session");
    const isThere = this.#drafts.has(name.uri) || (await this.#isThere(name));
    if (isThere) throw new AhpError(AHP_ERRORS.sessionExists, "a session with this name already exists");
    if (folder === null)
      throw new AhpError(AHP_ERRORS.invalidParams, "a new session needs a folder of this machine");
    const { cwd, agents, agent } = await this.machine.chat.agentsIn(folder);
    const wanted = provider === "continuo" ? agent : provider;
    if (wanted === null || !agents.includes(wanted))
      throw new AhpError(AHP_ERRORS.providerNotFound, `no agent ${provider} is installed for ${folder}`);
    this.#drafts.set(name.uri, { provider: wanted, cwd });
    keepNewest(this.#drafts, LIMITS.drafts);
  }

  draftOf(uri: string): EmptySession | undefined {
    return this.#drafts.get(uri);
  }

  /** A draft is forgotten; a session goes to the trash, from which it can be restored. Errors: `sessionNotFound`. */
  async dispose(channel: string, signal: AbortSignal): Promise<"draft" | "session"> {
    const name = parseSessionUri(channel);
    if (name === null) throw sessionNotFound(channel);
    const isDraft = this.#drafts.delete(name.uri);
    const kept = this.#feeds.get(name.uri);
    if (!isDraft)
      await this.machine.actions.delete(this.#keyOf(name), signal).catch(asSessionNotFound(name.uri));
    kept?.feed?.close();
    this.#feeds.delete(name.uri);
    return isDraft ? "draft" : "session";
  }

  close(): void {
    clearInterval(this.#timer);
    this.#over.abort();
    for (const { feed } of this.#feeds.values()) feed?.close();
    this.#feeds.clear();
  }

  #keyOf({ uri, key }: SessionName): string {
    return this.#keys.get(uri) ?? key;
  }

  async #isThere(name: SessionName): Promise<boolean> {
    try {
      await this.machine.known(this.#keyOf(name), this.#over.signal);
      return true;
    } catch (error) {
      if (isContinuoError(error, "not_found")) return false;
      throw error;
    }
  }

  #open(name: SessionName): KeptFeed {
    const { uri } = name;
    this.#makeRoom();
    const draft = this.#drafts.get(uri);
    const make = async (): Promise<SessionFeed> => {
      kept.feed = draft === undefined ? await this.#storedFeed(name) : this.#draftFeed(uri, draft);
      await kept.feed.open();
      return kept.feed;
    };
    // The session is read again, so a client cannot continue with the state that it had before: it needs a snapshot.
    const kept: KeptFeed = {
      feed: null,
      opened: Promise.resolve().then(make),
      since: this.#log.reserve(),
      unusedSince: null,
    };
    kept.opened.catch(() => undefined);
    this.#feeds.set(uri, kept);
    return kept;
  }

  async #storedFeed(name: SessionName): Promise<SessionFeed> {
    const { session } = await this.machine.known(this.#keyOf(name), this.#over.signal);
    const { title, modifiedAt, workingDirectories } = toSummary(session, name.uri);
    const isArchived = session.archived;
    const first = {
      provider: name.provider,
      title,
      modifiedAt,
      isArchived,
      ...present({ workingDirectories }),
    };
    return this.#feed(name.uri, session.key, first);
  }

  #draftFeed(uri: string, { cwd }: EmptySession): SessionFeed {
    const { provider = "continuo" } = parseSessionUri(uri) ?? {};
    const modifiedAt = new Date(this.#options.now()).toISOString();
    return this.#feed(uri, null, {
      provider,
      title: "New session",
      modifiedAt,
      workingDirectories: [toFileUri(cwd)],
    });
  }

  #feed(uri: string, key: string | null, first: FeedOptions["first"]): SessionFeed {
    return new SessionFeed({
      uri,
      key,
      first,
      machine: this.machine,
      emit: (channel, action, origin) => {
        this.emit(channel, action, origin);
        if (action.type === "session/chatUpdated") this.#tellActivity(uri);
      },
      moved: (next) => {
        this.#keys.set(uri, next);
        this.#uris.set(next, uri);
        keepNewest(this.#keys, LIMITS.movedSessions);
        keepNewest(this.#uris, LIMITS.movedSessions);
        this.#drafts.delete(uri);
        this.#rename(toSessionUri(next), uri);
      },
      report: this.#options.report,
    });
  }

  /** The list may have a session under its new key before the host knows which session it was: it stays one row. */
  #rename(own: string, uri: string): void {
    const summary = this.#known.get(own);
    if (summary === undefined || own === uri) return;
    this.#known.delete(own);
    this.#tell("root/sessionRemoved", { session: own });
    if (this.#known.has(uri)) return;
    const provider = parseSessionUri(uri)?.provider ?? summary.provider;
    const renamed = { ...summary, resource: uri, provider };
    this.#known.set(uri, renamed);
    this.#tell("root/sessionAdded", { summary: renamed });
  }

  /** `null` for a row that is not shown. */
  #summaryOf(row: MachineSession): SessionSummary | null {
    const first = keptSummary(row);
    if (first === null) return null;
    const uri = this.#uris.get(row.key);
    const summary = uri === undefined ? first : toSummary(row, uri);
    return withActivity(summary, this.#feeds.get(summary.resource)?.feed?.chat);
  }

  /** The agents of the root, and all later changes in the list. */
  #watch(): Promise<void> {
    this.#watched ??= (async () => {
      const one = { part: "conversations", limit: 1 } as const;
      const { agents } = await this.machine.sessions(one, this.#over.signal, "indexed");
      this.#agents = toAgents([...agents.map(({ agent }) => agent), ...(await this.#startable())]);
      for (const summary of await this.list()) this.#known.set(summary.resource, summary);
      void this.#followList();
    })();
    this.#watched.catch(() => {
      this.#watched = null;
    });
    return this.#watched;
  }

  /**
   * The agents with which a client can begin a session: those that are installed, and those of `continuo.yaml`. Without
   * them, the sessions are still shown.
   */
  async #startable(): Promise<readonly string[]> {
    try {
      return (await this.machine.chat.agentsIn("~")).agents;
    } catch (error) {
      this.#options.report(`the agents for new sessions are not known: ${messageOf(error)}`);
      return [];
    }
  }

  /** Never rejects: a list that cannot be read now is read again later. */
  async #followList(): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      try {
        await this.#takeChanges();
      } catch (error) {
        if (!signal.aborted) this.#options.report(`the list of sessions cannot be read: ${messageOf(error)}`);
      }
      await sleep(LIMITS.retryMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #takeChanges(): Promise<void> {
    for await (const { sessions, gone } of this.machine.changed(this.#over.signal)) {
      for (const row of sessions) this.#tellRow(row);
      for (const key of gone) {
        // A native session that was taken over by Continuo continues under its earlier name.
        const session = this.#uris.get(key) ?? toSessionUri(key);
        if (this.#keys.has(session) || !this.#known.delete(session)) continue;
        this.#tell("root/sessionRemoved", { session });
      }
    }
  }

  #tellRow(row: MachineSession): void {
    const summary = this.#summaryOf(row);
    if (summary === null) return;
    const before = this.#known.get(summary.resource);
    this.#known.set(summary.resource, summary);
    if (before === undefined) {
      this.#tell("root/sessionAdded", { summary });
      if (!this.#agents.some(({ provider }) => provider === summary.provider)) {
        this.#agents = toAgents([...this.#agents.map(({ provider }) => provider), summary.provider]);
        this.emit(ROOT_CHANNEL, {
          type: "root/agentsChanged",
          agents: this.#agents,
        } as ActionEnvelope["action"]);
      }
      return;
    }
    const changes = changesOf(before, summary);
    if (Object.keys(changes).length === 0) return;
    this.#tell("root/sessionSummaryChanged", { session: summary.resource, changes });
    const feed = this.#feeds.get(summary.resource);
    if (typeof changes.title === "string" && feed !== undefined)
      feed.feed?.actOnSession({ type: "session/titleChanged", title: changes.title });
    this.#tellArchived(summary, feed?.feed ?? null);
  }

  /**
   * The machine may report a row before the chat takes the end of its turn, and then never again: without this, the row
   * would still show that the agent works.
   */
  #tellActivity(uri: string): void {
    const before = this.#known.get(uri);
    if (before === undefined) return;
    const summary = withActivity(before, this.#feeds.get(uri)?.feed?.chat);
    if (summary.status === before.status) return;
    this.#known.set(uri, summary);
    this.#tell("root/sessionSummaryChanged", { session: uri, changes: { status: summary.status } });
  }

  /** A session is also archived by other clients, editors and commands. */
  #tellArchived({ status }: SessionSummary, feed: SessionFeed | null): void {
    const isArchived = (status & STATUS.isArchived) !== 0;
    if (feed !== null && isArchived !== ((feed.session.status & STATUS.isArchived) !== 0))
      feed.actOnSession({ type: "session/isArchivedChanged", isArchived });
  }

  #tell(method: string, params: object): void {
    for (const reader of this.#readers)
      if (reader.channels.has(ROOT_CHANNEL)) reader.notify(method, { channel: ROOT_CHANNEL, ...params });
  }

  /** Stops following sessions that had no reader for `keptMs`, the time in which a lost connection can come back. */
  #sweep(keptMs: number = LIMITS.keptMs): void {
    const now = this.#options.now();
    const read = new Set([...this.#readers].flatMap(({ channels }) => [...channels]));
    for (const [uri, kept] of this.#feeds) {
      if (read.has(uri) || read.has(toChatUri(uri))) kept.unusedSince = null;
      else kept.unusedSince ??= now;
      const isOver = kept.unusedSince !== null && now - kept.unusedSince > keptMs;
      if (!isOver) continue;
      kept.feed?.close();
      this.#feeds.delete(uri);
    }
  }

  /**
   * Stops following sessions without a reader if there are too many. A client that returns to such a session receives a
   * snapshot. Errors: `busy`.
   */
  #makeRoom(): void {
    if (this.#feeds.size >= LIMITS.sessions) this.#sweep(LIMITS.openingMs);
    if (this.#feeds.size < LIMITS.sessions) return;
    throw new ContinuoError("busy", `clients have ${LIMITS.sessions} sessions open at the same time`, {
      hint: "Close sessions that nobody reads, and open this one again.",
    });
  }
}
