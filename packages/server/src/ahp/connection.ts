/**
 * The connection of one client: receives JSON-RPC messages, and sends answers and actions. Does not know the socket.
 */

import { Buffer } from "node:buffer";
import { ContinuoError } from "@continuo/core/model";
import { recordOf } from "@continuo/core/wire";
import { z } from "zod";
import { dispatch, type Sender } from "./client-actions.ts";
import { AhpError, reasonOf, toRpcError } from "./errors.ts";
import type { AhpHost, Reader } from "./host.ts";
import { LIMITS } from "./limits.ts";
import { AHP_ERRORS, type SessionSummary, type Snapshot } from "./protocol.ts";
import { refusalOf } from "./refusals.ts";
import { keptBytes } from "./summary.ts";
import { folderOf } from "./uris.ts";
import { chooseVersion, VERSIONS } from "./versions.ts";

export interface ConnectionOptions {
  readonly host: AhpHost;
  readonly version: string;
  /** Sends a text, or its bytes in UTF-8; the order is kept. */
  readonly send: (text: string | Uint8Array) => void;
  /** Errors: `forbidden`. */
  readonly may: (access: "read" | "write" | "answer") => void;
  readonly record: (what: "agent_started" | "session_deleted", target: string) => Promise<void>;
  readonly onRefused: (error: unknown) => void;
}

const ID = z.string().min(1).max(500);
const URI = z.string().min(1).max(5_000);
const CHANNELS = z.array(URI).max(LIMITS.subscriptions);
const OF_CHANNEL = z.looseObject({ channel: URI });
/** A view is only a preference of the client: a view that is not valid is ignored. */
const VIEW = z
  .looseObject({ turns: z.int().min(1).optional() })
  .optional()
  .catch(undefined);
const SUBSCRIBE = z.looseObject({ channel: URI, view: VIEW });
const INITIALIZE = z.looseObject({
  protocolVersions: z.array(z.string().max(50)).min(1).max(50),
  clientId: ID,
  clientInfo: z.looseObject({ name: z.string().max(200) }).optional(),
  initialSubscriptions: CHANNELS.optional(),
});
const SEEN = z.number().int().min(0);
/** 0.9.0, and one of the texts of 1.0.0: one number for all channels. */
const RECONNECT = z.looseObject({ clientId: ID, lastSeenServerSeq: SEEN, subscriptions: CHANNELS });
const CURSOR = z.looseObject({ channel: URI, lastSeenServerSeq: SEEN });
/** The other text of 1.0.0: a number for each channel. */
const RECOVER = z.looseObject({ clientId: ID, subscriptions: z.array(CURSOR).max(LIMITS.subscriptions) });
const DISPATCH = z.looseObject({
  channel: URI,
  clientSeq: z.number().int(),
  action: z.looseObject({ type: z.string() }),
});
const LIST = z.looseObject({
  limit: z.number().int().min(1).optional(),
  cursor: z.string().max(100).optional(),
});
const CREATE = z.looseObject({ channel: URI, provider: ID, workingDirectories: z.array(URI).optional() });
const FETCH_TURNS = z.looseObject({ channel: URI, cursor: ID.optional() });
const READ = z.looseObject({ uri: URI, encoding: z.enum(["utf-8", "base64"]).default("utf-8") });
const MESSAGE = z.looseObject({
  jsonrpc: z.literal("2.0"),
  method: z.string(),
  id: z.union([z.number(), z.string()]).optional(),
  params: z.unknown(),
});

type DispatchedAction = z.output<typeof DISPATCH>;

/**
 * Sends the answer, which may be JSON in UTF-8 already. The caller must not wait between its changes and this call, so
 * that no other action comes between them.
 */
type Reply = (result: object | null) => void;

const COMMA: Uint8Array = Buffer.from(",");
const END: Uint8Array = Buffer.from("}");

export class AhpConnection implements Reader {
  readonly #options: ConnectionOptions;
  readonly #over = new AbortController();
  readonly channels: Set<string> = new Set<string>();
  #clientId: string | null = null;
  #name = "An editor";
  /** The newest list for `listSessions`, which is sent in pages. The name of the list is a part of each cursor. */
  #listed: { readonly name: string; readonly items: readonly SessionSummary[] } | null = null;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get clientId(): string {
    return this.#clientId ?? "";
  }

  notify(method: string, params: object): void {
    this.#options.send(JSON.stringify({ jsonrpc: "2.0", method, params }));
  }

  close(): void {
    this.#over.abort();
    this.#options.host.leave(this);
  }

  /** Answers a message. Never throws. */
  async receive(text: string): Promise<void> {
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch {
      return this.#fail(null, new AhpError(AHP_ERRORS.parse, "this is not JSON"));
    }
    const message = MESSAGE.safeParse(parsed);
    // The host sends no requests, so an answer of the client is ignored.
    if (!message.success) {
      if (typeof parsed === "object" && parsed !== null && ("result" in parsed || "error" in parsed)) return;
      return this.#fail(null, new AhpError(AHP_ERRORS.invalidRequest, "this is not a JSON-RPC message"));
    }
    const { id, method, params } = message.data;
    if (id === undefined) return await this.#notified(method, params);
    let isAnswered = false;
    try {
      await this.#asked(method, params, (result) => {
        isAnswered = true;
        if (result instanceof Uint8Array) {
          const head = Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`);
          this.#options.send(Buffer.concat([head, result, END]));
        } else this.#options.send(JSON.stringify({ jsonrpc: "2.0", id, result }));
      });
    } catch (error) {
      if (!isAnswered) this.#fail(id, error);
    }
  }

  async #asked(method: string, params: unknown, reply: Reply): Promise<void> {
    if (method === "ping") return reply(null);
    this.#options.may("read");
    if (method === "initialize") return await this.#initialize(parse(INITIALIZE, params), reply);
    if (method === "reconnect") {
      const isOfConnection = recordOf(params).lastSeenServerSeq !== undefined;
      if (isOfConnection) return await this.#reconnect(parse(RECONNECT, params), reply);
      return await this.#recover(parse(RECOVER, params), reply);
    }
    if (this.#clientId === null) throw notBegun();
    switch (method) {
      case "subscribe":
        return await this.#subscribe(parse(SUBSCRIBE, params), reply);
      case "listSessions":
        return reply(await this.#list(parse(LIST, params)));
      case "createSession":
        return await this.#create(parse(CREATE, params), reply);
      case "disposeSession":
        return await this.#dispose(parse(OF_CHANNEL, params).channel, reply);
      case "fetchTurns": {
        const { channel, cursor } = parse(FETCH_TURNS, params);
        const feed = await this.#options.host.feedOf(channel);
        await feed.serial(() => feed.loadOlder(cursor));
        return reply({});
      }
      case "resourceRead": {
        const { uri, encoding } = parse(READ, params);
        const text = await this.#options.host.text(uri);
        const data = encoding === "base64" ? Buffer.from(text).toString("base64") : text;
        return reply({ data, encoding, contentType: "text/plain" });
      }
      default:
        throw refusalOf(method);
    }
  }

  /** Ignores notifications that the protocol does not define. */
  async #notified(method: string, params: unknown): Promise<void> {
    if (method === "unsubscribe") {
      const { success, data } = OF_CHANNEL.safeParse(params);
      if (success) this.#forget(data.channel);
    } else if (method === "dispatchAction") {
      if (this.#clientId === null) return this.#fail(null, notBegun());
      const dispatched = DISPATCH.safeParse(params);
      if (dispatched.success) await this.#dispatch(dispatched.data);
      else this.#refuseInvalid(params, toInvalid(dispatched.error));
    }
  }

  /** An action that its client cannot recognise by its number is refused with an error without an id. */
  #refuseInvalid(params: unknown, error: AhpError): void {
    const { channel, clientSeq, action } = recordOf(params);
    const named = DISPATCH.omit({ action: true }).safeParse({ channel, clientSeq });
    if (named.success) this.#refuse({ ...named.data, action: { ...recordOf(action), type: "" } }, error);
    else this.#fail(null, error);
  }

  #forget(channel: string): void {
    try {
      this.channels.delete(this.#options.host.channelOf(channel));
    } catch {
      // The name belongs to no channel, so there is no subscription to remove.
    }
  }

  async #initialize(
    { protocolVersions, clientId, clientInfo, initialSubscriptions = [] }: z.output<typeof INITIALIZE>,
    reply: Reply,
  ): Promise<void> {
    if (this.#clientId !== null)
      throw new AhpError(AHP_ERRORS.invalidRequest, "the connection is already initialized");
    const protocolVersion = chooseVersion(protocolVersions);
    if (protocolVersion === undefined) {
      const data = { supportedVersions: VERSIONS };
      throw new AhpError(AHP_ERRORS.unsupportedVersion, `Continuo speaks ${VERSIONS.join(", ")}`, data);
    }
    const snapshots = await this.#snapshots(initialSubscriptions);
    this.#name = clientInfo?.name ?? this.#name;
    this.#enter(clientId);
    const { host, version } = this.#options;
    reply({
      protocolVersion,
      serverSeq: host.serverSeq,
      serverInfo: { name: "continuo", version, title: "Continuo" },
      snapshots: [...snapshots.known.values()].map((take) => take()),
    });
  }

  async #reconnect(
    { clientId, lastSeenServerSeq, subscriptions }: z.output<typeof RECONNECT>,
    reply: Reply,
  ): Promise<void> {
    this.#assertSame(clientId);
    const { known, missing } = await this.#snapshots(subscriptions);
    this.#enter(clientId);
    const actions = this.#options.host.missedBy(this, lastSeenServerSeq);
    if (actions !== null) reply({ type: "replay", actions, missing });
    else reply({ type: "snapshot", snapshots: [...known.values()].map((take) => take()), missing });
  }

  /** Recovers each channel from its own number: one channel may get actions, and another a new state. */
  async #recover({ clientId, subscriptions }: z.output<typeof RECOVER>, reply: Reply): Promise<void> {
    this.#assertSame(clientId);
    const seen = new Map(subscriptions.map(({ channel, lastSeenServerSeq }) => [channel, lastSeenServerSeq]));
    const { known } = await this.#snapshots([...seen.keys()]);
    this.#enter(clientId);
    const { host } = this.#options;
    const channels = [...seen].map(([channel, lastSeen]) => {
      const take = known.get(channel);
      if (take === undefined) return { kind: "missing", channel };
      const name = host.channelOf(channel);
      // A refusal names the channel as its client did.
      const reader = { clientId, channels: new Set([name]), refusedIn: new Set([channel, name]) };
      const actions = host.missedBy(reader, lastSeen);
      if (actions === null) return { kind: "snapshot", channel, snapshot: take() };
      return { kind: "replay", channel, actions };
    });
    reply({ channels });
  }

  #enter(clientId: string): void {
    // Another request may have named another client while the channels were read.
    this.#assertSame(clientId);
    this.#clientId = clientId;
    this.#options.host.join(this);
  }

  /** A connection has one client, and what the client tells about itself ends with it. Errors: `invalidRequest`. */
  #assertSame(clientId: string): void {
    if (this.#clientId !== null && this.#clientId !== clientId)
      throw new AhpError(AHP_ERRORS.invalidRequest, "the connection belongs to another client");
  }

  /**
   * Subscribes this reader to each channel that exists, and returns a function for each snapshot, and the names of the
   * missing channels, as they were given.
   */
  async #snapshots(
    channels: readonly string[],
  ): Promise<{ readonly known: ReadonlyMap<string, () => Snapshot>; readonly missing: readonly string[] }> {
    const { host } = this.#options;
    const known = new Map<string, () => Snapshot>();
    const missing: string[] = [];
    for (const given of new Set(channels)) {
      try {
        const channel = host.channelOf(given);
        this.#checkSubscription(channel);
        known.set(given, await host.snapshot(channel));
        this.channels.add(channel);
      } catch (error) {
        if (!(error instanceof AhpError)) throw error;
        missing.push(given);
      }
    }
    return { known, missing };
  }

  async #subscribe({ channel: given, view }: z.output<typeof SUBSCRIBE>, reply: Reply): Promise<void> {
    const { host } = this.#options;
    const channel = host.channelOf(given);
    this.#checkSubscription(channel);
    const take = await host.snapshot(channel, view?.turns);
    this.channels.add(channel);
    reply({ snapshot: take() });
  }

  /**
   * The limit counts all channels of the connection, because a client can ask to reconnect several times. Errors:
   * `invalid`.
   */
  #checkSubscription(channel: string): void {
    if (!this.channels.has(channel) && this.channels.size >= LIMITS.subscriptions)
      throw new ContinuoError("invalid", "the client has too many subscriptions");
  }

  async #list({ limit, cursor }: z.output<typeof LIST>): Promise<Uint8Array> {
    const [, name = "", start = "0"] = /^(\d+):(\d+)$/u.exec(cursor ?? "") ?? [];
    if (cursor !== undefined && this.#listed?.name !== name)
      throw new AhpError(AHP_ERRORS.invalidParams, "the list of this cursor is no longer known");
    if (cursor === undefined || this.#listed === null) {
      const items = await this.#options.host.list();
      this.#listed = { name: String(Number(this.#listed?.name ?? 0) + 1), items };
    }
    const { items, name: list } = this.#listed;
    const end = Number(start) + (limit ?? LIMITS.listed);
    const nextCursor = end < items.length ? `${list}:${end}` : undefined;
    const after = nextCursor === undefined ? "]" : `],"nextCursor":${JSON.stringify(nextCursor)}`;
    const shown = items.slice(Number(start), end).flatMap((item, at) => {
      const bytes = keptBytes(item);
      return at === 0 ? [bytes] : [COMMA, bytes];
    });
    return Buffer.concat([Buffer.from('{"items":['), ...shown, Buffer.from(after), END]);
  }

  async #create(
    { channel, provider, workingDirectories }: z.output<typeof CREATE>,
    reply: Reply,
  ): Promise<void> {
    this.#options.may("write");
    await this.#options.host.create(channel, { provider, folder: folderOf(workingDirectories) });
    reply(null);
  }

  async #dispose(channel: string, reply: Reply): Promise<void> {
    this.#options.may("write");
    const { host, record } = this.#options;
    if (host.draftOf(host.channelOf(channel)) === undefined) await record("session_deleted", channel);
    await host.dispose(channel, this.#over.signal);
    reply(null);
  }

  async #dispatch(dispatched: DispatchedAction): Promise<void> {
    const { host } = this.#options;
    const { channel: given, action } = dispatched;
    try {
      const channel = host.channelOf(given);
      await dispatch(host, { channel, action }, this.#sender(dispatched));
    } catch (error) {
      this.#refuse(dispatched, error);
    }
  }

  #refuse({ channel, clientSeq, action }: DispatchedAction, error: unknown): void {
    const { host, onRefused } = this.#options;
    const origin = { clientId: this.clientId, clientSeq };
    onRefused(error);
    host.refuse(this, { channel, action, origin, reason: reasonOf(error) });
  }

  #sender(dispatched: DispatchedAction): Sender {
    const { may, record } = this.#options;
    return {
      origin: { clientId: this.clientId, clientSeq: dispatched.clientSeq },
      name: this.#name,
      // A turn that was begun continues after its client has left.
      signal: new AbortController().signal,
      may,
      mayForever: () => {
        try {
          may("write");
          return true;
        } catch {
          return false;
        }
      },
      refuseLater: (error) => this.#refuse(dispatched, error),
      recordStart: (target) => record("agent_started", target),
    };
  }

  #fail(id: number | string | null, error: unknown): void {
    this.#options.onRefused(error);
    this.#options.send(JSON.stringify({ jsonrpc: "2.0", id, error: toRpcError(error) }));
  }
}

/** Errors: `invalidParams`. */
function parse<Schema extends z.ZodType>(schema: Schema, params: unknown): z.output<Schema> {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  throw toInvalid(parsed.error);
}

function notBegun(): AhpError {
  return new AhpError(AHP_ERRORS.invalidRequest, "a connection begins with initialize or reconnect");
}

function toInvalid({ issues: [first] }: z.ZodError): AhpError {
  return new AhpError(AHP_ERRORS.invalidParams, `${first?.path.join(".")}: ${first?.message}`);
}
