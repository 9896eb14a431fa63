/** The sessions of one connection, which both versions of the protocol begin, load, resume, fork and close. */

import { randomUUID } from "node:crypto";
import { isAbsolute } from "node:path";
import type { McpServer } from "@agentclientprotocol/sdk/unstable";
import { firstMessagesOf, openCatalogSession, openOwn, type Prices } from "@continuo/agents/catalog";
import {
  defaultAgent,
  installedAgents,
  readSettings,
  type TalkOptions,
  takeNativeTurns,
} from "@continuo/agents/conversations";
import { ContinuoError, isContinuoError, type Message, messageOf, present } from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";
import { deleteSession, forkSession } from "./actions.ts";
import type { EditorClient } from "./client.ts";
import type { SessionChoices } from "./config-options.ts";
import { type FollowStart, isFollowed } from "./follow-turns.ts";
import { ownId, sessionGone } from "./ids.ts";
import { GATEWAY_LIMITS } from "./limits.ts";
import { createLists, type SessionLists } from "./list.ts";
import { createLogins, type Logins } from "./logins.ts";
import { type FoundForEditor, findSession } from "./look-up.ts";
import { type NotedReplay, noteReplay, noteWritten, noting } from "./native-turns.ts";
import { replayOf } from "./replay.ts";
import { EditorSession, type SessionOptions } from "./session.ts";
import { UNUSED_MARK } from "./unused-sessions.ts";

export interface GatewayParts {
  readonly places: PlacesAt;
  readonly openStore: TalkOptions["openStore"];
  /** Receives lines for people, which are not part of the protocol. */
  readonly report: (line: string) => void;
  readonly prices: () => Promise<Prices>;
  /** Called when a long session was loaded that is not in the index: once it is there, the next load is faster. */
  readonly onUnindexed: () => void;
}

/** The folder of a session, and the editor's servers of tools. */
export interface SessionOpenOptions {
  readonly cwd: string;
  readonly mcpServers?: readonly McpServer[];
}

export interface NamedSessionOptions extends SessionOpenOptions {
  readonly sessionId: string;
}

export class Gateway {
  readonly #options: GatewayParts;
  readonly #sessions = new Map<string, EditorSession>();
  readonly #lists: SessionLists;
  readonly #client: EditorClient;
  readonly logins: Logins;

  constructor(options: GatewayParts, client: EditorClient) {
    this.#options = options;
    this.#client = client;
    this.#lists = createLists(options);
    this.logins = createLogins(options.places);
  }

  get lists(): SessionLists {
    return this.#lists;
  }

  /**
   * After a login, the agents of all sessions start again with their next turn, so that each uses it. Errors: those of
   * `Logins`.
   */
  async logIn(id: string, signal: AbortSignal): Promise<Record<string, never>> {
    await this.logins.logIn(id, signal);
    await Promise.all([...this.#sessions.values()].map((session) => session.restart()));
    return {};
  }

  /** Errors: `agent_missing` if this machine has no agent. */
  async checkAgents(): Promise<Record<string, never>> {
    const { places } = this.#options;
    defaultAgent(await readSettings(places, places.cwd), places);
    return {};
  }

  /** After a logout, and after one that failed, no session keeps a program with the login. Errors: as `Logins.end`. */
  async logOut(method: "logout" | "auth/logout", signal: AbortSignal): Promise<Record<string, never>> {
    const ended = this.logins.end(method, signal);
    try {
      await ended;
    } finally {
      await Promise.all([...this.#sessions.values()].map((session) => session.restart()));
    }
    return {};
  }

  /** Ends every session, the programs of their agents, and the reading of lists. */
  async end(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.allSettled([this.#lists.end(), ...sessions.map((session) => session.close())]);
  }

  /**
   * Begins a session with the agent that `continuo chat` would choose. Errors: `invalid` for a relative folder, `busy`
   * if too many sessions are open, `agent_missing`; those of `openTalk`.
   */
  async begin({ cwd, mcpServers = [] }: SessionOpenOptions): Promise<EditorSession> {
    const places = this.#placesIn(cwd);
    const choices = await choicesIn(places, cwd, null);
    const sessionId = randomUUID();
    const id = ownId(sessionId);
    const newSession = { sessionId, metadata: UNUSED_MARK };
    const session = this.#add({ id, name: null, places, choices, mcpServers, newSession });
    try {
      await session.open();
    } catch (error) {
      await this.close(id);
      throw error;
    }
    return session;
  }

  /**
   * Opens a session, and sends its history before this resolves. Errors: `not_found`, `invalid`, `busy`,
   * `agent_missing`; those of reading the session.
   */
  async load(opening: NamedSessionOptions): Promise<EditorSession> {
    const found = await this.#find(opening.sessionId);
    const session = await this.#enter(opening, found);
    const { hit } = found;
    const pending = await this.#takeNativeTurns(hit);
    const start = await session.pauseFollowing();
    const { showsCompactions } = this.#client;
    const noted = noteReplay({ hit, ids: session.beginIds(), showsCompactions });
    let shown: NotedReplay | undefined;
    try {
      const history = this.#historyOf(hit, pending);
      const untilStart = start === null ? noting(noted, history) : until(start, history);
      const isLive = pending.length > 0 || (hit.kind === "native" ? hit.native.found : hit.row).live === true;
      await this.#client.replay(opening.sessionId, replayOf(untilStart, { ...noted, isLive }));
      shown = noted;
    } finally {
      session.follow(present({ start: start ?? undefined, shown }));
    }
    void session.followNative();
    // The follower shows the running turn, which is also a part of the history.
    await session.caughtUp();
    return session;
  }

  /**
   * Stores what the agent's own program added to the native session of a session of Continuo's. Returns the messages of
   * its turns that have not ended. A session can be shown without it.
   */
  async #takeNativeTurns(hit: FoundForEditor["hit"]): Promise<readonly Message[]> {
    if (hit.kind === "native") return [];
    const { places } = this.#options;
    const { sessionId } = hit.row;
    try {
      await using own = await openOwn(places);
      return own === null ? [] : (await takeNativeTurns({ store: own.store, sessionId, places })).pending;
    } catch (error) {
      this.#client.note(
        ownId(sessionId),
        `turns of the agent's own program are not shown: ${messageOf(error)}`,
      );
      return [];
    }
  }

  /** Yields the first messages of a long session before the rest of it is read. */
  async *#historyOf(
    hit: FoundForEditor["hit"],
    pending: readonly Message[],
  ): AsyncGenerator<Message, void, void> {
    const first = await firstMessagesOf(hit);
    yield* first;
    const shown = new Set(first.map(({ id }) => id));
    using opened = await openCatalogSession(hit, this.#options.places, {
      index: { onMissing: this.#options.onUnindexed },
    });
    const awaited = new Map(pending.map((message) => [message.id, message]));
    for await (const message of opened.history()) {
      awaited.delete(message.id);
      if (!shown.delete(message.id)) yield message;
    }
    yield* awaited.values();
  }

  async #find(id: string): Promise<FoundForEditor> {
    return await findSession(id, this.#options.places, this.#lists.rowOf(id));
  }

  /** Opens a session without sending its history. Errors: `not_found`, `invalid`, `busy`, `agent_missing`. */
  async resume(opening: NamedSessionOptions): Promise<EditorSession> {
    const found = await this.#find(opening.sessionId);
    const session = await this.#enter(opening, found);
    if (session.isFollowed) return session;
    session.follow(present({ shown: await this.#notedIn(session, found) }));
    void session.followNative();
    return session;
  }

  /**
   * Notes the messages of a native session that is resumed, as if they had been shown. Returns `undefined` if it cannot
   * be read, or is one of Continuo's.
   */
  async #notedIn(session: EditorSession, { hit }: FoundForEditor): Promise<NotedReplay | undefined> {
    if (hit.kind !== "native") return undefined;
    const { showsCompactions } = this.#client;
    const noted = noteReplay({ hit, ids: session.beginIds(), showsCompactions });
    try {
      await noteWritten(noted, this.#options.places);
      return noted;
    } catch (error) {
      this.#client.note(session.id, `turns of others are not shown: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** Opens a copy of a session. Errors: `not_found`; those of the fork. */
  async fork({
    sessionId: from,
    _meta,
    ...opening
  }: NamedSessionOptions & { readonly _meta?: unknown }): Promise<EditorSession> {
    const { places } = this.#options;
    const sessionId = await forkSession(await this.#find(from), messageIn(_meta), places);
    const session = await this.#enter({ ...opening, sessionId }, await findSession(sessionId, places));
    session.follow();
    return session;
  }

  /** Cancels the turns of a session and closes it; does nothing if it is not open. */
  async close(id: string): Promise<Record<string, never>> {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    await session?.close();
    this.#client.leave(id);
    return {};
  }

  /** Returns the status without opening the session. Errors: `not_found`. */
  async status(id: string): Promise<"open" | "saved"> {
    if (this.#sessions.has(id)) return "open";
    await findSession(id, this.#options.places);
    return "saved";
  }

  /** Succeeds even if there is no such session. */
  async delete(id: string): Promise<Record<string, never>> {
    await this.close(id);
    try {
      await deleteSession(await findSession(id, this.#options.places), this.#options.places);
    } catch (error) {
      if (!isContinuoError(error, "not_found")) throw error;
    }
    return {};
  }

  /**
   * Returns the open session, with the servers that the editor names now, or one that its next turn will open; no agent
   * starts here. Errors: `invalid` for a relative folder, `busy` if too many sessions are open; those of `choicesIn`.
   */
  async #enter(
    { sessionId: id, cwd, mcpServers }: NamedSessionOptions,
    { name, agent: of, cwd: folder }: FoundForEditor,
  ): Promise<EditorSession> {
    const before = this.#sessions.get(id);
    if (before !== undefined) {
      if (mcpServers !== undefined) await before.useServers(mcpServers);
      return before;
    }
    const places = this.#placesIn(cwd);
    const choices = await choicesIn(places, folder ?? cwd, of);
    return this.#add({ id, name, places, choices, mcpServers: mcpServers ?? [] });
  }

  #add(parts: Omit<SessionOptions, "openStore" | "client" | "logins">): EditorSession {
    if (this.#sessions.size >= GATEWAY_LIMITS.openSessions) {
      throw new ContinuoError(
        "busy",
        `cannot open another session: ${GATEWAY_LIMITS.openSessions} are open`,
        {
          hint: "Close one of them first.",
        },
      );
    }
    const { openStore } = this.#options;
    const session = new EditorSession({ ...parts, openStore, client: this.#client, logins: this.logins });
    this.#sessions.set(parts.id, session);
    this.#client.enter(parts.id, parts.places.cwd);
    return session;
  }

  /** Errors: `invalid`. */
  #placesIn(cwd: string): PlacesAt {
    if (isAbsolute(cwd)) return { ...this.#options.places, cwd };
    throw new ContinuoError("invalid", `${JSON.stringify(cwd)} is not an absolute path`);
  }

  cancel(id: string): void {
    this.#sessions.get(id)?.cancel();
  }

  /** Errors: `not_found` for a session that this connection has not opened. */
  named(id: string): EditorSession {
    const session = this.#sessions.get(id);
    if (session === undefined) throw sessionGone(id);
    return session;
  }
}

/** Yields the history without the messages that the follower shows. */
async function* until(start: FollowStart, history: AsyncIterable<Message>): AsyncGenerator<Message> {
  for await (const message of history) if (!isFollowed(message, start)) yield message;
}

/**
 * `agent`: the agent that answered last in the session; `null`: the agent of a new session. Errors: `agent_missing`;
 * those of the configuration.
 */
async function choicesIn(places: PlacesAt, cwd: string, agent: string | null): Promise<SessionChoices> {
  const settings = await readSettings(places, cwd);
  const name = agent ?? defaultAgent(settings, places);
  const policy = settings.agents[name]?.permissions.policy ?? "ask";
  return { agent: name, policy, agents: installedAgents(settings, places) };
}

/** `{ continuo: { at: MESSAGE } }`: the last message of a fork. */
function messageIn(meta: unknown): string | undefined {
  const { continuo } = (meta ?? {}) as { readonly continuo?: { readonly at?: unknown } };
  return typeof continuo?.at === "string" ? continuo.at : undefined;
}
