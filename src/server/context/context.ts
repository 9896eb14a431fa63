/** What the parts of the server share, and how a part is added to it. */

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Hono } from "hono";
import type { LiveOptions } from "../../live/index.ts";
import type { Store } from "../../model/index.ts";
import type { Need, Scope } from "../../wire/index.ts";
import type { MachineService } from "../../wire/machine/index.ts";

/** Who sent a request, by its socket. */
export interface Peer {
  readonly address: string;
  readonly isLoopback: boolean;
}

/** What a request may do, after its token was checked. */
export interface Grant {
  /** `null` with `--no-auth`. */
  readonly tokenId: string | null;
  readonly workspaceId: string;
  /** The participant that the token stands for; any handle where there is none. */
  readonly handle: string | null;
  readonly scopes: readonly Scope[];
  readonly peer: Peer;
}

/** What a request proves itself with. */
export interface Credentials {
  readonly secret?: string;
  readonly sentAs: "header" | "cookie" | "frame";
}

/** Errors: `unauthorized`, `rate_limited`. */
export type Authenticate = (credentials: Credentials, peer: Peer) => Promise<Grant>;

/** What an operator may change; the other limits are fixed. */
export interface ServerLimits {
  /** Requests and frames of one token. */
  readonly requestsPerSecond: number;
  /** Long-polls, SSE streams and WebSockets of one token that are open at the same time. */
  readonly connections: number;
  /** Different channels in which the connections of one token are. */
  readonly channels: number;
  /** Of the body of a request. */
  readonly requestBytes: number;
  /** Of a frame of a client in a channel. */
  readonly frameBytes: number;
  readonly blobBytes: number;
  /** Messages that one request for a participant's history returns. */
  readonly historyItems: number;
}

export interface Quotas {
  /** Counts a request, or a frame. Errors: `rate_limited`. */
  request(grant: Grant): void;
  /** Counts a connection until it is disposed. Errors: `rate_limited`. */
  connect(grant: Grant, channel?: string): Disposable;
  /** Of all tokens. */
  openConnections(): number;
}

/** Counters for the operator, by name and labels. */
export interface Metrics {
  count(name: string, labels?: Readonly<Record<string, string>>, by?: number): void;
  /** Read when the metrics are asked for. */
  gauge(name: string, read: () => number): void;
  /** Prometheus text. */
  text(): string;
}

/** How continuous sessions work on this server. */
export interface LiveSettings extends Omit<LiveOptions, "store" | "report"> {
  /** In these, sessions of a server that is gone are taken over before anybody asks for them. */
  readonly workspaceIds: readonly string[];
}

/** A service that answers requests by itself, after the check of the token. */
export interface McpService {
  fetch(request: Request): Promise<Response>;
  /** Ends what is open. */
  close(): Promise<void>;
}

/** What becomes of a reader of a channel that does not read. */
export interface SlowReaders {
  /** How long the server waits for the reader before it tells it to catch up. */
  readonly stalledMs: number;
  /** How long it has to hear that, before it is cut off. */
  readonly goodbyeMs: number;
}

export interface ServerContext {
  /** The same engine, bound to a workspace. */
  store(workspaceId: string): Store;
  /** Where codes and cookies of pages are kept. */
  tokens(workspaceId: string): Store;
  /** A WebSocket's token comes as a subprotocol or in its first frame: `sentAs: "frame"`. */
  readonly authenticate: Authenticate;
  readonly limits: ServerLimits;
  readonly quotas: Quotas;
  readonly metrics: Metrics;
  /** Errors: `forbidden`. */
  require(grant: Grant, need: Need): void;
  /** Continuous sessions; the defaults where it is left out. */
  readonly live?: LiveSettings;
  /** What is answered at `/mcp`; nothing where it is left out. */
  readonly mcp?: McpService;
  /** Loads what is answered below `/v1/machine/`; nothing where it is left out. */
  readonly machine?: () => Promise<MachineService>;
  /** The folder of the built viewer, which is the page at `/`; no page where it is left out. */
  readonly pageFolder?: string;
  /** How clients reach the server; the name that a request was sent to where it is left out. */
  readonly publicUrl?: string;
  /** Private hosts that webhooks may be sent to. */
  readonly webhookHosts: ReadonlySet<string>;
  /** How long a long-poll waits. */
  readonly longPollMs: number;
  readonly slowReaders: SlowReaders;
  /** Whether a page of this origin may call; `null` is no page. */
  allowsOrigin(origin: string | null): boolean;
  /** Aborts when the server begins to drain: live streams end with a retry hint. */
  readonly draining: AbortSignal;
  /** One line for the operator; never a token, never the content of a log. */
  readonly report: (line: string) => void;
}

/** What a handler finds in `c.var`. */
export interface ServerEnv {
  Bindings: { readonly peer: Peer };
  Variables: { readonly grant: Grant };
}

/**
 * A part of the server. `routes` adds handlers below `/v1/`, behind the check of the token. `upgrade` takes the
 * request for a WebSocket, or returns `false` and leaves it to the next part; query tokens and foreign origins were
 * refused before, the token itself is the part's to check (it comes as a subprotocol or in the first frame).
 */
export interface Mount {
  routes?(app: Hono<ServerEnv>): void;
  /** Handlers that need no token of ours: what they answer is public, or they check another proof. */
  publicRoutes?(app: Hono<ServerEnv>): void;
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer, peer: Peer): boolean;
  /** Called after `draining` aborted; resolves when nothing of this part is open. */
  close?(): Promise<void>;
}

export type CreateMount = (context: ServerContext) => Mount;
