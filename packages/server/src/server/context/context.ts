/** The context that the parts of the server share, and the way in which a part is added. */

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { ContinuoError, Principal, Store } from "@continuo/core/model";
import type { PageLabel, RequiredPermission, Scope } from "@continuo/core/wire";
import type { MachineService, PhoneService, Preferences } from "@continuo/core/wire/machine";
import type { AcceptedConnection } from "@continuo/files";
import type { LiveOptions } from "@continuo/live";
import type { Hono } from "hono";
import type { NewServedSession, SessionsService } from "./sessions-service.ts";

/** The sender of a request, by its socket, or as a trusted proxy names it. */
export interface Peer {
  readonly address: string;
  readonly isLoopback: boolean;
  /** Its connection, by which its user can be found; a request without a socket has none. */
  readonly connection?: AcceptedConnection;
  /** Calls back when the answer to the request was sent, or its connection closed. */
  readonly whenAnswered?: (then: () => void) => void;
  /** Called when a token was accepted: the connection no longer belongs to a stranger. */
  readonly onToken?: () => void;
}

/** Pages of a phone live as long as its pairing, so that nobody must return to the computer for each use. */
export type PageDevice = "computer" | "phone";

/** The machines that can reach a server: only its own, or others too. */
export type Reach = "machine" | "network";

/** The permissions of a request, after its token was checked. */
export interface Grant {
  /** `null` with `--no-auth`. */
  readonly tokenId: string | null;
  readonly workspaceId: string;
  /**
   * The person whom the program that mounts the server has authorized, `null` for a person without a name. `tokenId` is
   * then the name under which their quotas are counted, and not a token of the store.
   */
  readonly by?: string | null;
  /** The participant that the token is limited to; `*` allows any, and `null` none, except with `admin`. */
  readonly handle: string | null;
  /** The token with which a page was opened; `null` for a token that belongs to no page. */
  readonly page: PageLabel | null;
  readonly scopes: readonly Scope[];
  /** `hidden`: the logs of sessions cannot be read as streams, because they name folders of this machine. */
  readonly logs?: "shown" | "hidden";
  /** The names of the agents that may be asked, the default one first; any by default. */
  readonly agents?: readonly string[];
  /** Describes a session that the person creates. */
  readonly newSession?: (sessionId: string) => NewServedSession;
  /**
   * Asks the program again whether the person may still have the connection that they opened. Rejects if the program
   * cannot say.
   */
  readonly askAgain?: (use: ConnectionUse) => Promise<boolean>;
  readonly peer: Peer;
}

/** The secrets with which a request proves its identity. */
export interface Credentials {
  readonly secret?: string;
  readonly sentAs: "header" | "cookie" | "frame";
}

/** Errors: `unauthorized`, `rate_limited`. */
export type Authenticate = (credentials: Credentials, peer: Peer) => Promise<Grant>;

/** The limits that an operator can change; the others are fixed. */
export interface ServerLimits {
  /** Requests and frames of one token. */
  readonly requestsPerSecond: number;
  /** Long-polls, SSE streams and WebSockets that one token may have open at the same time. */
  readonly connections: number;
  /** The number of different channels in which the connections of one token may be. */
  readonly channels: number;
  /** The size of a request's body. */
  readonly requestBytes: number;
  /** The size of a frame from a client in a channel. */
  readonly frameBytes: number;
  readonly blobBytes: number;
  /** Bytes of bodies and frames of one token. */
  readonly bytesPerSecond: number;
  /** The same over a day, for a token without `admin`; the next two limits also apply to a day. */
  readonly bytesPerDay: number;
  /** Bytes of attachments. */
  readonly blobBytesPerDay: number;
  /** Streams, channels and sessions that are created. */
  readonly logsPerDay: number;
  /** Messages for agents whose runs have not ended, of one token without `admin`. */
  readonly openMessages: number;
  /** Streams of sessions, runs and chats that one token without `admin` may have open at the same time. */
  readonly sessionStreams: number;
  /** Messages that one request for a participant's history returns. */
  readonly historyItems: number;
}

export type OnLost = (error: ContinuoError) => void;

/** The use of a connection, if the connections of this use have a limit of their own. */
export interface ConnectionUse {
  readonly channel?: string;
  /** True for a stream of a session, a run or a chat. */
  readonly isStream?: boolean;
}

export interface Quotas {
  /** Counts a request, or a frame and its bytes. Errors: `rate_limited`. */
  request(grant: Grant, bytes?: number): void;
  /** Counts the bytes of one body while it is received. */
  receive(grant: Grant): Reception;
  /** Counts the bytes of an attachment. Errors: `rate_limited`. */
  blob(grant: Grant, bytes: number): void;
  /**
   * Counts the log if `create` creates it. Errors: `rate_limited` for a log that does not exist when the token has
   * created as many as it may.
   */
  log<T extends { readonly created: boolean }>(grant: Grant, creation: LogCreation<T>): Promise<T>;
  /** Counts a message until its run has ended. Errors: `rate_limited` for a message that does not exist. */
  message<T extends { readonly runId: string; readonly status: string }>(
    grant: Grant,
    attempt: SendAttempt<T>,
  ): Promise<T>;
  /**
   * Counts a connection until it is disposed. `onLost` is called if its token is revoked or expires in the meantime.
   * Errors: `rate_limited`.
   */
  connect(grant: Grant, onLost: OnLost, use?: ConnectionUse): Disposable;
  /**
   * Waits until the token may have an answer of this size on its way. The answer counts until it is disposed. Errors:
   * `rate_limited` when the token does not read its other answers.
   */
  answer(grant: Grant, bytes: number): Promise<Answer>;
  /** The open connections of all tokens. */
  openConnections(): number;
}

/** The body that a request sends. Disposed when the request was answered. */
export interface Reception extends Disposable {
  /** Counts a body of this length before it is read. Errors: `rate_limited`. */
  begin(bytes: number): void;
  /** Counts a chunk; returns the time to wait before the next one is read. Errors: `rate_limited`. */
  takeChunk(bytes: number): number;
}

/** An answer that is made and sent. Disposed when the client has read it, or is gone. */
export interface Answer extends Disposable {
  /** Resolves immediately if the answer gets smaller; otherwise it waits like a new one. Errors: `rate_limited`. */
  resize(bytes: number): Promise<void>;
}

export interface SendAttempt<T> {
  /** True if the message was sent before. */
  exists(): Promise<boolean>;
  send(): Promise<T>;
  hasEnded(runId: string): Promise<boolean>;
}

export interface LogCreation<T> {
  exists(): Promise<boolean>;
  create(): Promise<T>;
}

/** Keys that bind pages to one start of a server that only its machine can reach. */
export interface PageKeys {
  /** Returns the secret that the tab of a page sends: with the keys of this start, if they exist. */
  secretOf(page: { readonly tokenId: string; readonly secret: string }): string;
  /** The key of `proofFor`, which only this page receives; `null` without keys. */
  proofKeyOf(tokenId: string): string | null;
  /** The answer to a nonce of a page, which proves that this server opened it. `null` for any other request. */
  proofFor(grant: Grant, nonce: string | undefined): string | null;
}

export interface PageName {
  readonly workspaceId: string;
  readonly tokenId: string;
  /** The token that opened it. */
  readonly parentId: string;
}

export interface PageUse {
  /** Counts a new page, and ends the pages of its token that are too many. */
  opened(page: PageName): Promise<void>;
  /** Errors: `unauthorized` for a page that nothing used for too long; the page ends. */
  used(page: PageName): Promise<void>;
  /** An open connection counts as use of its page. */
  connected(page: PageName): Disposable;
  closed(page: PageName): Promise<void>;
}

/** A scan of one attachment while it is received. */
export interface AttachmentScan extends Disposable {
  write(bytes: Uint8Array): Promise<void>;
  /** Called after all bytes. Errors: `unavailable` if the scanner does not work. */
  isHarmless(): Promise<boolean>;
}

/** Begins to scan an attachment. Errors: `busy`. */
export type ScanAttachment = () => AttachmentScan;

export type SecurityEventType =
  | "token_accepted"
  | "login_failed"
  | "guesses_limited"
  | "host_refused"
  | "origin_refused"
  | "token_in_url"
  | "access_refused"
  | "limit_reached"
  | "connections_limited"
  | "input_refused"
  | "request_failed"
  | "code_issued"
  | "page_opened"
  | "page_refused"
  | "page_closed"
  | "token_created"
  | "token_revoked";

/** An event contains no secret: it names tokens by their ids. */
export interface SecurityEvent {
  readonly address: string;
  /** The name under which it was done, for the audit log. */
  readonly who?: string;
  readonly tokenId?: string;
  /** The token that a page was opened with. */
  readonly parentId?: string;
  readonly workspaceId?: string;
  readonly reason?: string;
}

export interface SecurityLog {
  record(type: SecurityEventType, event: SecurityEvent): void;
}

/** One series of a gauge that has labels. */
export interface GaugeSeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Counters and gauges for the operator, by name and labels. */
export interface Metrics {
  count(name: string, labels?: Readonly<Record<string, string>>, by?: number): void;
  /** `read` is called when the metrics are requested. */
  gauge(name: string, read: () => number | readonly GaugeSeries[]): void;
  /** All gauges of a source, which can differ each time. */
  gauges(read: () => readonly { readonly name: string; readonly series: readonly GaugeSeries[] }[]): void;
  /** Prometheus text. */
  text(): string;
}

/** The settings of continuous sessions on this server. */
export interface LiveSettings extends Omit<LiveOptions, "store" | "report"> {
  /**
   * In these workspaces, this server takes over sessions of a server that is gone even before a client asks for them.
   */
  readonly workspaceIds: readonly string[];
}

/** A service that answers requests itself, after the token was checked. */
export interface McpService {
  fetch(request: Request): Promise<Response>;
  /** Ends open requests. */
  close(): Promise<void>;
}

/** The hosts that webhooks may be sent to. */
export interface WebhookHosts {
  /** The hosts that the operator named, which may be private. */
  readonly named: ReadonlySet<string>;
  readonly others: "public" | "none";
}

/** The limits for a reader of a channel that does not read. */
export interface SlowReaders {
  /** The server waits for the reader this long before it tells the reader to catch up. */
  readonly stalledMs: number;
  /** The reader may take this long to read that message before it is disconnected. */
  readonly goodbyeMs: number;
}

/** The choices of the person who owns the machine. */
export interface KeptPreferences {
  read(): Preferences;
  /** Returns all preferences after they were stored on disk. Errors: `corrupt`, `unwritable`. */
  change(some: Preferences): Preferences;
}

export interface ServerContext {
  /**
   * The same engine, bound to a workspace. Actions are recorded under the name `by`; by default under that of the
   * server.
   */
  store(workspaceId: string, by?: Principal): Store;
  /** The store of tokens and pages. */
  tokens(workspaceId: string, by?: Principal): Store;
  /** Counts a wrong code or token that `authenticate` does not look up. Errors: `rate_limited`. */
  guessed(peer: Peer): void;
  /** A WebSocket's token comes as a subprotocol or in its first frame: `sentAs: "frame"`. */
  readonly authenticate: Authenticate;
  readonly reach: Reach;
  readonly pageKeys: PageKeys;
  readonly pageUse: PageUse;
  readonly limits: ServerLimits;
  readonly quotas: Quotas;
  readonly metrics: Metrics;
  /** Errors: `forbidden`. */
  require(grant: Grant, need: RequiredPermission): void;
  /** The error that `require` throws, for a right that no scope names. */
  refusal(message: string, details?: ContinuoError["details"]): ContinuoError;
  /** The error with a hint for the sender of the request; a hint that only the program can follow is reported to it. */
  toRequester<Failure>(error: Failure): Failure | ContinuoError;
  /** Continuous sessions; the defaults if it is left out. */
  readonly live?: LiveSettings;
  /** The sessions and approvals of a workspace; without it, `/v1/sessions/` and `/v1/approvals` do not exist. */
  readonly sessions?: (workspaceId: string) => SessionsService | Promise<SessionsService>;
  /** The service at `/mcp`; without it, the path does not exist. */
  readonly mcp?: McpService;
  /** Loads the service below `/v1/machine/`; without it, the paths do not exist. */
  readonly machine?: () => Promise<MachineService>;
  /** The folder of the built viewer, which is the page at `/`; without it, there is no page. */
  readonly pageFolder?: string;
  readonly whisperFolder?: string;
  /** Without it, the browser of each page keeps the choices. */
  readonly preferences?: KeptPreferences;
  readonly phones?: PhoneService;
  readonly pagesOf: PageDevice;
  /** The only host name at which pages are opened; any name by default. */
  readonly pageName?: string;
  /** The address at which clients reach the server; by default the host that the request names. */
  readonly publicUrl?: string;
  readonly webhookHosts: WebhookHosts;
  /** The private key that signs webhooks, in PEM; without it, the store has one. */
  readonly webhookKey?: string;
  /** Scans each attachment before it is stored; by default nothing does. */
  readonly scanAttachment?: ScanAttachment;
  /** The longest wait of a long-poll. */
  readonly longPollMs: number;
  readonly slowReaders: SlowReaders;
  /** Answers a request for a WebSocket with an error, and ends the connection. */
  refuseUpgrade(socket: Duplex, error: ContinuoError): void;
  /** Returns true if pages of this origin may send requests; `null` is a request that no page sent. */
  allowsOrigin(origin: string | null): boolean;
  /** From now on, pages of this origin may send requests. */
  allowOrigin(origin: string): void;
  /** Aborts when the server begins to drain: live streams end with a retry hint. */
  readonly draining: AbortSignal;
  /** One line for the operator; never a token, never the content of a log. */
  readonly report: (line: string, error?: unknown) => void;
  readonly security: SecurityLog;
  /** Records the error with which a request or a frame of the sender is answered. */
  refused(error: unknown, peer: Peer): void;
}

/** The variables of a handler, in `c.var`. */
export interface ServerEnv {
  Bindings: {
    readonly peer: Peer;
    /** The pattern of the matched path, for metrics. */
    route?: string;
  };
  Variables: { readonly grant: Grant };
}

/**
 * A part of the server. `routes` adds handlers below `/v1/`, behind the check of the token. `upgrade` takes the request
 * for a WebSocket, or returns `false` and leaves it to the next part; query tokens and foreign origins were refused
 * before, but the part must check the token itself (it comes as a subprotocol or in the first frame).
 */
export interface Mount {
  routes?(app: Hono<ServerEnv>): void;
  /** Handlers without a check of the token: their answers are public, or they check other credentials. */
  publicRoutes?(app: Hono<ServerEnv>): void;
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer, peer: Peer): boolean;
  /** Called after `draining` aborted; resolves when nothing of this part is open. */
  close?(): Promise<void>;
}

export type CreateMount = (context: ServerContext) => Mount;
