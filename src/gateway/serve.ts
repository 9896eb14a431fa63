/** The agent that an editor talks to: the requests of the protocol, each carried out by the session that it names. */

import { randomUUID } from "node:crypto";
import { isAbsolute } from "node:path";
import { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type AgentContext,
  type AgentRequestContext,
  agent,
  type ClientCapabilities,
  type InitializeResponse,
  type McpServer,
  ndJsonStream,
  type SessionConfigOption,
  type SessionModeState,
} from "@agentclientprotocol/sdk/unstable";
import { openCatalogSession } from "@continuo/agents/catalog";
import { agentsAt, defaultAgent, readSettings, type TalkOptions } from "@continuo/agents/conversations";
import { ContinuoError, isContinuoError } from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";
import { deleteSession, forkSession, renameSession } from "./actions.ts";
import { createClient } from "./client.ts";
import type { SessionChoices } from "./config-options.ts";
import { toPolicy } from "./config-options.ts";
import { toRequestError } from "./errors.ts";
import { ownId, sessionGone } from "./ids.ts";
import { GATEWAY_LIMITS } from "./limits.ts";
import { createLists } from "./list.ts";
import { type FoundForEditor, findSession } from "./look-up.ts";
import { replayOf } from "./replay.ts";
import { EditorSession, type SessionOptions } from "./session.ts";
import { removeUnused, UNUSED_MARK } from "./unused.ts";

export interface GatewayOptions {
  readonly places: PlacesAt;
  readonly openStore: TalkOptions["openStore"];
  readonly input: Readable;
  readonly output: Writable;
  /** The version of Continuo. */
  readonly version: string;
  /** Ends the connection. */
  readonly signal: AbortSignal;
  /** Receives a line for people; nothing of the protocol. */
  readonly report: (line: string) => void;
}

/** Resolves when the editor is gone, or `signal` says so, and no program of an agent runs any more. */
export async function serveAcp(options: GatewayOptions): Promise<void> {
  const gateway = new Gateway(options);
  const { input, output, signal } = options;
  const stream = ndJsonStream(
    Writable.toWeb(output) as WritableStream<Uint8Array>,
    Readable.toWeb(input) as ReadableStream<Uint8Array>,
  );
  const connection = gateway.app().connect(stream);
  gateway.context = connection.client;
  const stop = (): void => connection.close();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  // It waits for nothing, and what fails now is tried again by the next editor.
  removeUnused(options.places).catch(({ message }: Error) => options.report(message));
  await connection.closed;
  await Promise.race([gateway.close(), sleep(GATEWAY_LIMITS.closeMs, undefined, { ref: false })]);
}

/** The folder of a session, and the editor's servers of tools. */
interface Opening {
  readonly cwd: string;
  readonly mcpServers?: readonly McpServer[];
}

interface NamedOpening extends Opening {
  readonly sessionId: string;
}

interface Opened {
  readonly configOptions: SessionConfigOption[];
  readonly modes: SessionModeState;
}

class Gateway {
  readonly #options: GatewayOptions;
  readonly #sessions = new Map<string, EditorSession>();
  readonly #lists: ReturnType<typeof createLists>;
  readonly #client: ReturnType<typeof createClient>;
  #capabilities: ClientCapabilities = {};
  context: AgentContext | null = null;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#lists = createLists(options.places, options.report);
    this.#client = createClient({
      context: () => {
        if (this.context === null) throw new Error("not connected yet");
        return this.context;
      },
      capabilities: () => this.#capabilities,
      report: options.report,
    });
  }

  app() {
    return agent({ name: "continuo" })
      .onRequest("initialize", ({ params }) => {
        this.#capabilities = params.clientCapabilities ?? {};
        return this.#hello();
      })
      .onRequest("authenticate", () => ({}))
      .onRequest(
        "session/list",
        answer(({ params }) => this.#lists.page(params)),
      )
      .onRequest(
        "session/new",
        answer(({ params }) => this.#new(params)),
      )
      .onRequest(
        "session/load",
        answer(({ params }) => this.#load(params)),
      )
      .onRequest(
        "session/resume",
        answer(({ params }) => this.#resume(params)),
      )
      .onRequest(
        "session/fork",
        answer(({ params }) => this.#fork(params)),
      )
      .onRequest(
        "session/close",
        answer(({ params: { sessionId } }) => this.#close(sessionId)),
      )
      .onRequest(
        "session/delete",
        answer(({ params: { sessionId } }) => this.#delete(sessionId)),
      )
      .onRequest(
        "session/set_title",
        answer(async ({ params: { sessionId, title } }) => ({
          title: await renameSession(sessionId, title, this.#options.places),
        })),
      )
      .onRequest(
        "session/set_mode",
        answer(async ({ params: { sessionId, modeId } }) => {
          const session = this.#named(sessionId);
          await session.setPolicy(toPolicy(modeId));
          const { configOptions } = session;
          await this.#client.update(sessionId, { sessionUpdate: "config_option_update", configOptions });
          return {};
        }),
      )
      .onRequest(
        "session/set_config_option",
        answer(async ({ params: { sessionId, configId, value } }) => {
          const session = this.#named(sessionId);
          await session.choose(configId, value);
          return { configOptions: session.configOptions };
        }),
      )
      .onRequest(
        "session/prompt",
        answer(({ params: { sessionId, prompt }, signal }) => this.#named(sessionId).prompt(prompt, signal)),
      )
      .onNotification("session/cancel", ({ params: { sessionId } }) =>
        this.#sessions.get(sessionId)?.cancel(),
      );
  }

  async close(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.allSettled(sessions.map((session) => session.close()));
  }

  #hello(): InitializeResponse {
    return {
      protocolVersion: 1,
      agentInfo: { name: "continuo", title: "Continuo", version: this.#options.version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        mcpCapabilities: { http: true, sse: false },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, fork: {} },
      },
      authMethods: [],
    };
  }

  async #new({ cwd, mcpServers = [] }: Opening): Promise<Opened & { readonly sessionId: string }> {
    const places = this.#placesIn(cwd);
    const configuration = await readSettings(places, cwd);
    const choices = await this.#choicesOf(defaultAgent(configuration, places), cwd);
    const sessionId = randomUUID();
    const id = ownId(sessionId);
    const newSession = { sessionId, metadata: UNUSED_MARK };
    const session = this.#add({ id, name: null, places, choices, mcpServers, newSession });
    try {
      await session.open();
    } catch (error) {
      this.#sessions.delete(id);
      throw error;
    }
    return { sessionId: id, ...openedOf(session) };
  }

  async #load(opening: NamedOpening): Promise<Opened> {
    const found = await findSession(opening.sessionId, this.#options.places);
    const session = await this.#enter(opening, found);
    using opened = await openCatalogSession(found.hit, this.#options.places);
    const updates = replayOf(opened.history(), {
      ids: session.beginIds(),
      showsCompactions: this.#client.showsCompactions,
      isLive: opened.details.live === true,
    });
    for await (const update of updates) await this.#client.update(opening.sessionId, update);
    return openedOf(session);
  }

  async #resume(opening: NamedOpening): Promise<Opened> {
    const found = await findSession(opening.sessionId, this.#options.places);
    return openedOf(await this.#enter(opening, found));
  }

  async #fork({
    sessionId: from,
    _meta,
    ...opening
  }: NamedOpening & { readonly _meta?: unknown }): Promise<Opened & { readonly sessionId: string }> {
    const { places } = this.#options;
    const sessionId = await forkSession(await findSession(from, places), messageIn(_meta), places);
    const session = await this.#enter({ ...opening, sessionId }, await findSession(sessionId, places));
    return { sessionId, ...openedOf(session) };
  }

  async #close(id: string): Promise<Record<string, never>> {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    await session?.close();
    return {};
  }

  /** Of a session that is not there nothing is left to delete. */
  async #delete(id: string): Promise<Record<string, never>> {
    await this.#close(id);
    try {
      await deleteSession(await findSession(id, this.#options.places), this.#options.places);
    } catch (error) {
      if (!isContinuoError(error, "not_found")) throw error;
    }
    return {};
  }

  /** The open session, or one that is opened with its next turn: no agent starts here. */
  async #enter(
    { sessionId: id, cwd, mcpServers = [] }: NamedOpening,
    { name, agent: of, cwd: folder }: FoundForEditor,
  ): Promise<EditorSession> {
    const before = this.#sessions.get(id);
    if (before !== undefined) return before;
    const places = this.#placesIn(cwd);
    const settings = await readSettings(places, folder ?? cwd);
    const choices = await this.#choicesOf(of ?? defaultAgent(settings, places), folder ?? cwd);
    const session = this.#add({ id, name, places, choices, mcpServers });
    session.follow();
    return session;
  }

  #add(parts: Omit<SessionOptions, "openStore" | "client">): EditorSession {
    if (this.#sessions.size >= GATEWAY_LIMITS.openSessions) {
      throw new ContinuoError("busy", `${GATEWAY_LIMITS.openSessions} sessions are open`, {
        hint: "Close one of them first.",
      });
    }
    const { openStore } = this.#options;
    const session = new EditorSession({ ...parts, openStore, client: this.#client });
    this.#sessions.set(parts.id, session);
    return session;
  }

  async #choicesOf(name: string, cwd: string): Promise<SessionChoices> {
    const { places } = this.#options;
    const { agents } = await readSettings(places, cwd);
    const policy = agents[name]?.permissions.policy ?? "ask";
    return { agent: name, policy, agents: await agentsAt(places, cwd) };
  }

  /** Errors: `invalid`. */
  #placesIn(cwd: string): PlacesAt {
    if (isAbsolute(cwd)) return { ...this.#options.places, cwd };
    throw new ContinuoError("invalid", `${JSON.stringify(cwd)} is no absolute path`);
  }

  /** Errors: `not_found` for one that this connection has not opened. */
  #named(id: string): EditorSession {
    const session = this.#sessions.get(id);
    if (session === undefined) throw sessionGone(id);
    return session;
  }
}

function openedOf({ configOptions, modes }: EditorSession): Opened {
  return { configOptions, modes };
}

/** `{ continuo: { at: MESSAGE } }`: the message up to which a fork goes. */
function messageIn(meta: unknown): string | undefined {
  const { continuo } = (meta ?? {}) as { readonly continuo?: { readonly at?: unknown } };
  return typeof continuo?.at === "string" ? continuo.at : undefined;
}

type Handler<Params, Answer> = (request: AgentRequestContext<Params>) => Promise<Answer>;

/** Errors of ours reach the editor as errors of the protocol. */
function answer<Params, Answer>(handle: Handler<Params, Answer>): Handler<Params, Answer> {
  return async (request) => {
    try {
      return await handle(request);
    } catch (error) {
      throw toRequestError(error);
    }
  };
}
