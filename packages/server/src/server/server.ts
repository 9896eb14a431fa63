/** The server: it checks each request and its token, and gives the request to the part that has its route. */

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { ContinuoError, httpStatusOf, present, type Store } from "@continuo/core/model";
import { allows, NONCE_HEADER, PROOF_HEADER, toRequester } from "@continuo/core/wire";
import { debugOf } from "@continuo/files";
import { Hono } from "hono";
import { routePath } from "hono/route";
import {
  createGuesses,
  createPageKeys,
  createPageUse,
  createQuotas,
  createTokenWatch,
  credentialsOf,
  withPageConnections,
  withPageKeys,
  withPageUse,
} from "./auth/index.ts";
import {
  type CreateMount,
  DEFAULT_LIMITS,
  LIMITS,
  type Mount,
  PAGE_LIVES,
  type Peer,
  type SecurityLog,
  type ServerContext,
  type ServerEnv,
} from "./context/index.ts";
import {
  createHintReport,
  encodedAnswer,
  failure,
  fetchMetadataOf,
  type Gate,
  gateRefusal,
  guardHeaders,
  isKnownOrigin,
  METHODS,
  POLICY_HEADER,
  PREFLIGHT_HEADERS,
  plainHeaders,
  readFailure,
  received,
  refuseSocket,
} from "./http/index.ts";
import { MOUNTED, MOUNTS } from "./mounts.ts";
import { createMetrics, measureProcess, observeRequest, serverMeter } from "./operation/index.ts";
import { createPreferences } from "./page/index.ts";
import {
  createFailureLog,
  createSecurityLog,
  recordingLogins,
  recordRefusal,
  watchAudit,
} from "./security-log/index.ts";
import { assertServerOptions, type ServerOptions } from "./server-options.ts";

const PROGRAM_HINT = "Let `authorize` return this right for the person, if they shall have it.";

const debug = debugOf("server");

export interface ContinuoServer {
  /** The routes of the server, by method (`ALL` for each) and pattern of the path. */
  readonly routes: readonly { readonly method: string; readonly path: string }[];
  /** The headers of an answer to bytes that are not a request. */
  readonly headers: Readonly<Record<string, string>>;
  fetch(request: Request, peer: Peer): Promise<Response>;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, peer: Peer): void;
  /** Records that a client of this address exceeded the limit of connections without a token. */
  crowded(address: string): void;
  /** Accepts no more requests, ends live streams with a retry hint, and resolves when nothing is open. */
  close(): Promise<void>;
}

/** `parts`: all of them by default. Errors: `usage` for an unknown option. */
export function createServer(options: ServerOptions, parts: readonly CreateMount[] = MOUNTS): ContinuoServer {
  assertServerOptions(options);
  const draining = new AbortController();
  const gate: ServerGate = { ...gateOf(options), isMounted: parts === MOUNTED };
  const security = createSecurityLog({ write: options.securityLog ?? (() => undefined) });
  const context = contextOf(options, { gate, security, draining: draining.signal });
  const audited =
    options.securityLog === undefined || options.followAudit === undefined
      ? null
      : watchAudit(options.followAudit, { log: security, report: context.report });
  const unmeasure = measured(context);
  const mounts = parts.map((create) => create(context));
  const app = appOf(context, mounts);
  return {
    routes: app.routes.map(({ method, path }) => ({ method, path })),
    headers: plainHeaders(gate),
    fetch: (request, peer) =>
      observeRequest(request, async () => {
        const env: ServerEnv["Bindings"] = { peer };
        const answer = async (): Promise<Response> => app.fetch(request, env);
        return { response: await guarded(gate, context, { request, peer }, answer), route: env.route };
      }),
    upgrade: (request, socket, head, peer) => {
      const refusal = upgradeRefusal({ request, peer }, gate, context);
      if (refusal !== undefined) return context.refuseUpgrade(socket, context.toRequester(refusal));
      const taken = mounts.some((mount) => mount.upgrade?.(request, socket, head, peer) ?? false);
      if (!taken) {
        context.refuseUpgrade(socket, new ContinuoError("not_found", "there is no WebSocket at this path"));
      }
    },
    crowded: (address) => security.record("connections_limited", { address }),
    close: async () => {
      draining.abort();
      unmeasure();
      await audited?.close();
      security.close();
      await Promise.all(mounts.map((mount) => mount.close?.()));
    },
  };
}

/** Starts to measure the server. The returned function ends that. */
function measured({ metrics, quotas }: ServerContext): () => void {
  const leave = [
    measureProcess(metrics),
    serverMeter.observe("continuo.connections.open", () => [
      { value: quotas.openConnections(), attributes: {} },
    ]),
  ];
  return () => {
    for (const end of leave) end();
  };
}

/** Pages of the public address belong to the server, even if a proxy changes the host. */
function gateOf({ origins = [], hosts, publicUrl, reach }: ServerOptions): Omit<ServerGate, "isMounted"> {
  const known = publicUrl === undefined ? [] : [new URL(publicUrl)];
  return present({
    origins: new Set([...origins, ...known.map(({ origin }) => origin)]),
    hosts: hosts === undefined ? undefined : new Set([...hosts, ...known.map(({ hostname }) => hostname)]),
    isHttps: known.some(({ protocol }) => protocol === "https:"),
    takesExtensions: reach === "machine",
  });
}

/** A gate to which origins are added while the server runs. */
interface ServerGate extends Gate {
  /** The server is part of a program, which has no tokens. */
  readonly isMounted: boolean;
  readonly origins: Set<string>;
}

interface Surroundings {
  readonly gate: ServerGate;
  readonly security: SecurityLog;
  readonly draining: AbortSignal;
}

function contextOf(options: ServerOptions, { gate, security, draining }: Surroundings): ServerContext {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { reach = "network", pagesOf = "computer" } = options;
  const tokens = keepingStores(options.tokens ?? options.store);
  const pageKeys = createPageKeys(reach);
  const { report = () => undefined } = options;
  const pageUse = createPageUse(tokens, { ending: draining, report, idleMs: PAGE_LIVES[pagesOf].idleMs });
  const authenticate = recordingLogins(
    withPageUse(withPageKeys(options.authenticate, pageKeys), pageUse),
    security,
  );
  const quotas = withPageConnections(createQuotas(limits, createTokenWatch(tokens, draining)), pageUse);
  const failures = createFailureLog(security);
  const metrics = createMetrics();
  const refusal: ServerContext["refusal"] = (message, details) =>
    new ContinuoError(
      "forbidden",
      message,
      present({ details, ...(gate.isMounted ? ({ hint: PROGRAM_HINT, hintFor: "program" } as const) : {}) }),
    );
  return {
    store: keepingStores(options.store),
    tokens,
    guessed: createGuesses(),
    authenticate: async (credentials, peer) => {
      const grant = await authenticate(credentials, peer);
      peer.onToken?.();
      failures.know(peer, grant);
      return grant;
    },
    reach,
    pagesOf,
    pageKeys,
    pageUse,
    limits,
    quotas,
    metrics,
    require: (grant, need) => {
      if (allows(grant.scopes, need)) return;
      throw refusal(`the ${gate.isMounted ? "program" : "token"} does not allow this`, { need });
    },
    refusal,
    toRequester: requesterWords(gate, report),
    refuseUpgrade: (socket, error) =>
      refuseSocket(socket, error, {
        headers: { ...plainHeaders(gate), "sec-websocket-version": "13" },
      }),
    allowsOrigin: (origin) => isKnownOrigin(gate, { url: "", origin, host: null }),
    allowOrigin: (origin) => void gate.origins.add(origin),
    ...present({
      live: options.live,
      sessions: options.sessions,
      mcp: options.mcp,
      machine: options.machine,
      publicUrl: options.publicUrl?.replace(/\/+$/u, ""),
      preferences:
        options.preferencesFile === undefined
          ? undefined
          : createPreferences(options.preferencesFile, report),
      pageFolder: options.pageFolder,
      whisperFolder: options.whisperFolder,
      phones: options.phones,
      pageName: options.pageName,
      webhookKey: options.webhookKey,
      scanAttachment: options.scanAttachment,
    }),
    webhookHosts: {
      named: new Set(options.webhookHosts?.map((host) => host.toLowerCase())),
      others: options.otherWebhookHosts ?? "public",
    },
    longPollMs: options.longPollMs ?? LIMITS.longPollMs,
    slowReaders: { stalledMs: LIMITS.stalledMs, goodbyeMs: LIMITS.goodbyeMs, ...options.slowReaders },
    draining,
    report,
    security,
    refused: (error, peer) => failures.record(error, peer),
  };
}

/** Customers of a program get words for people, and the program gets the hints that only it can follow. */
function requesterWords(
  { isMounted }: ServerGate,
  report: ServerContext["report"],
): ServerContext["toRequester"] {
  if (!isMounted) return (error) => error;
  const tell = createHintReport((error) => report(`${error.message}. ${error.hint}`, error));
  return (error) => {
    tell(error);
    return toRequester(error);
  };
}

const STORES_KEPT = 1_000;
const HEALTH_PATH = "/healthz";

/** Keeps the store of each workspace; a store that records under somebody's name is made for each request. */
function keepingStores(open: ServerOptions["store"]): ServerContext["store"] {
  const stores = new Map<string, Store>();
  return (workspaceId, by) => {
    if (by !== undefined) return open(workspaceId, by);
    let store = stores.get(workspaceId);
    if (store === undefined) {
      store = open(workspaceId);
      if (stores.size >= STORES_KEPT) stores.clear();
      stores.set(workspaceId, store);
    }
    return store;
  };
}

function appOf(context: ServerContext, mounts: readonly Mount[]): Hono<ServerEnv> {
  const app = new Hono<ServerEnv>();
  app.onError((error, c) => {
    if (httpStatusOf(error) === 500 && !isClientGone(error))
      context.report(`request failed: ${error.stack ?? error}`, error);
    context.refused(error, c.env.peer);
    const isRead = c.req.method === "GET" || c.req.method === "HEAD";
    return failure(context.toRequester(isRead && c.req.path.startsWith("/v1/") ? readFailure(error) : error));
  });
  app.notFound(() => failure(new ContinuoError("not_found", "there is no resource at this path")));
  app.use(async (c, next) => {
    await next();
    const route = routePath(c, -1);
    // A path that matches no resource comes from a stranger, and is not used as a pattern.
    if (route !== "/*" && route !== "/v1/*") c.env.route = route;
  });
  for (const mount of mounts) mount.publicRoutes?.(app);
  app.use("/v1/*", async (c, next) => {
    const grant = await context.authenticate(credentialsOf(c.req.raw), c.env.peer);
    context.quotas.request(grant);
    c.set("grant", grant);
    using reception = context.quotas.receive(grant);
    c.req.raw = received(c.req.raw, reception);
    await next();
    // Browsers must not cache the answers to a page; other answers are cached only if their headers allow it.
    if (grant.page !== null || !c.res.headers.has("cache-control"))
      c.res.headers.set("cache-control", "no-store");
    const proof = context.pageKeys.proofFor(grant, c.req.header(NONCE_HEADER));
    if (proof !== null) c.res.headers.set(PROOF_HEADER, proof);
  });
  for (const mount of mounts) mount.routes?.(app);
  return app;
}

/** True if the client closed the connection before its body was complete, which is not worth a line in the log. */
function isClientGone(error: NodeJS.ErrnoException): boolean {
  return error.code === "ECONNRESET" && error.message === "aborted";
}

interface IncomingRequest<R> {
  readonly request: R;
  readonly peer: Peer;
}

/** The checks that every request passes, and the headers that every response has. */
async function guarded(
  gate: Gate,
  context: ServerContext,
  { request, peer }: IncomingRequest<Request>,
  answer: () => Promise<Response>,
): Promise<Response> {
  const { headers, method, url } = request;
  const arrival = {
    url,
    host: headers.get("host") ?? new URL(url).host,
    origin: headers.get("origin"),
    fetched: fetchMetadataOf((name) => headers.get(name)),
  };
  const guard = guardHeaders(gate, arrival);
  if (method === "OPTIONS") {
    return new Response(null, { status: 204, headers: { ...PREFLIGHT_HEADERS, ...guard } });
  }
  if (method === "TRACE") return new Response(null, { status: 405, headers: { allow: METHODS, ...guard } });
  const begun = performance.now();
  const refusal = closing(context) ?? recordRefusal(gateRefusal(gate, arrival), peer, context.security);
  const response = refusal === undefined ? await answer() : failure(context.toRequester(refusal));
  debug("request", () => ({
    method,
    path: new URL(url).pathname,
    status: response.status,
    ms: Math.round(performance.now() - begun),
  }));
  for (const [name, value] of Object.entries(guard)) {
    if (name === "vary") response.headers.append(name, value);
    else if (name !== POLICY_HEADER || !response.headers.has(name)) response.headers.set(name, value);
  }
  // A page of a foreign origin can detect that the server runs, and tell its user.
  if (new URL(url).pathname === HEALTH_PATH)
    response.headers.set("cross-origin-resource-policy", "cross-origin");
  return await encodedAnswer(request, response, context.reach);
}

function closing({ draining }: ServerContext): ContinuoError | undefined {
  if (!draining.aborted) return undefined;
  return new ContinuoError("unavailable", "the server is closing", {
    hint: "Try again in a moment.",
    details: { retryAfterMs: LIMITS.retryMs },
  });
}

function upgradeRefusal(
  { request: { url = "", headers }, peer }: IncomingRequest<IncomingMessage>,
  gate: Gate,
  context: ServerContext,
): ContinuoError | undefined {
  const arrival = { url, host: headers.host ?? null, origin: headers.origin ?? null };
  return closing(context) ?? recordRefusal(gateRefusal(gate, arrival), peer, context.security);
}
