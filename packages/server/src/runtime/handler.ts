/**
 * The server as a handler of fetch requests inside of a program, whose function `authorize` decides the rights of each
 * request. It is loaded with the first request.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { assertKnownOptions, ContinuoError, once, present } from "@continuo/core/model";
import { ANY_HANDLE, allows } from "@continuo/core/wire";
import type { Authenticate, ContinuoServer, Grant, Peer } from "../server/index.ts";
import { toErrorResponse } from "./error-response.ts";
import { HANDLER_OPTIONS, LIMIT_OPTIONS, LIVE_OPTIONS } from "./options.ts";
import { isCovered, scopesOf } from "./rights.ts";
import type { Authorization, Continuo, FetchHandler, HandlerOptions } from "./types.ts";

/** The paths of the server, wherever the handler is mounted. */
const PATH =
  /\/v1\/(?:sessions|approvals|stream|channels|live|videos|blobs|client(?:-[\w-]+)?\.js)(?=[/?#]|$)/u;
const BEARER = /(?:^|,)\s*bearer\.([^,\s]+)/u;

/** The handler, and its end: open streams and WebSockets are closed. */
export interface OpenHandler {
  readonly handler: FetchHandler;
  close(): Promise<void>;
}

export function createHandler(
  continuo: Continuo,
  options: HandlerOptions,
  report: (error: unknown) => void,
): OpenHandler {
  assertKnownOptions("handler", options, HANDLER_OPTIONS);
  assertKnownOptions("limits", options.limits ?? {}, LIMIT_OPTIONS);
  assertKnownOptions("live", options.live ?? {}, LIVE_OPTIONS);
  const arrived = new WeakMap<Peer, Request>();
  const loaded = once<ContinuoServer>(async () => {
    const { openServer } = await import("./mounted-server.ts");
    return await openServer(continuo, options, authenticator(continuo, options, arrived), report);
  });
  const handle = async (request: Request): Promise<Response> => {
    const url = serverUrl(request.url);
    if (url === null)
      return toErrorResponse(new ContinuoError("not_found", "there is no resource at this path"));
    try {
      const server = await loaded.get();
      const peer: Peer = { address: "unknown", isLoopback: false };
      arrived.set(peer, request);
      return await server.fetch(url === request.url ? request : new Request(url, request), peer);
    } catch (error) {
      return toErrorResponse(error);
    }
  };
  const upgrade = async (incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const lost = (): void => void socket.destroy();
    socket.on("error", lost);
    const server = await loaded.get();
    const { remoteAddress = "unknown" } = incoming.socket;
    const peer: Peer = { address: remoteAddress, isLoopback: false };
    arrived.set(peer, requestOf(incoming));
    const path = incoming.url ?? "/";
    incoming.url = path.slice(Math.max(0, path.search(PATH)));
    socket.off("error", lost);
    server.upgrade(incoming, socket, head, peer);
  };
  return {
    handler: Object.assign(handle, {
      upgrade: (incoming: IncomingMessage, socket: Duplex, head: Buffer): void => {
        upgrade(incoming, socket, head).catch(() => socket.destroy());
      },
    }),
    close: async () => await (await loaded.begun())?.close(),
  };
}

/**
 * Asks the program, with the request as it arrived there. A token in the first frame of a WebSocket is passed on as a
 * bearer token.
 */
function authenticator(
  { store }: Continuo,
  { authorize }: HandlerOptions,
  arrived: WeakMap<Peer, Request>,
): Authenticate {
  return async ({ secret, sentAs }, peer) => {
    const request = arrived.get(peer);
    const asking = request !== undefined && sentAs === "frame" ? withBearer(request, secret) : request;
    const allowed = asking === undefined ? null : await authorize(asking);
    if (allowed === null || asking === undefined) throw unknownCaller();
    const grant = grantOf(allowed, { peer, workspaceId: store.workspaceId });
    // The body of another request was read, and cannot be given to the program again.
    if (asking.method !== "GET") return grant;
    const inItsContext = AsyncLocalStorage.snapshot();
    const askAgain: Grant["askAgain"] = async (use) => {
      const now = await inItsContext(async () => await authorize(asking));
      return now !== null && isAsWide(grantOf(now, grant), grant, use);
    };
    return { ...grant, askAgain };
  };
}

/** The error for a request for which `authorize` returned `null`. */
export function unknownCaller(): ContinuoError {
  return new ContinuoError("unauthorized", "the program does not know who asks", {
    hint: "Log in, and send the request again.",
  });
}

function grantOf(allowed: Authorization, { peer, workspaceId }: Pick<Grant, "peer" | "workspaceId">): Grant {
  const { by, handle = by ?? null, anyHandle = false } = allowed;
  const scopes = scopesOf(allowed);
  return {
    // People without a name share the quotas of all people with the same rights.
    tokenId: `person/${by ?? JSON.stringify(scopes)}`,
    by: by ?? null,
    workspaceId,
    // A person may have any name, also the one that stands for all handles.
    handle: anyHandle ? ANY_HANDLE : handle === ANY_HANDLE ? null : handle,
    page: null,
    scopes,
    logs: allowed.logs === true ? "shown" : "hidden",
    ...present({ agents: allowed.agents, newSession: allowed.newSession }),
    peer,
  };
}

type ConnectionUse = Parameters<NonNullable<Grant["askAgain"]>>[0];

/** True if the grant still has the rights that the connection was opened with: in a channel, those for the channel. */
function isAsWide(now: Grant, before: Grant, { channel }: ConnectionUse): boolean {
  if (now.by !== before.by || now.handle !== before.handle) return false;
  if (channel === undefined) {
    return (before.logs === "hidden" || now.logs === "shown") && isCovered(before.scopes, now.scopes);
  }
  return (["read", "write"] as const).every((access) => {
    const need = { kind: "channel", name: channel, access } as const;
    return !allows(before.scopes, need) || allows(now.scopes, need);
  });
}

/** `null` for a path that does not belong to the server. */
function serverUrl(text: string): string | null {
  const url = new URL(text);
  const at = url.pathname.search(PATH);
  if (at === -1) return null;
  return at === 0 ? text : `${url.origin}${url.pathname.slice(at)}${url.search}`;
}

/** The handshake of a WebSocket, in the form in which the program knows requests. */
function requestOf({ url = "/", headers }: IncomingMessage): Request {
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of [value ?? []].flat()) sent.append(name, one);
  }
  const request = new Request(new URL(url, `http://${headers.host ?? "localhost"}`), { headers: sent });
  return withBearer(request, BEARER.exec(headers["sec-websocket-protocol"] ?? "")?.[1]);
}

function withBearer(request: Request, secret: string | undefined): Request {
  if (secret === undefined || request.headers.has("authorization")) return request;
  const headers = new Headers(request.headers);
  headers.set("authorization", `Bearer ${secret}`);
  return new Request(request.url, { headers });
}
