/** The server on a socket. */

import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from "node:http";
import { type AddressInfo, Socket } from "node:net";
import { assertKnownOptions, ContinuoError, type KnownOptions } from "@continuo/core/model";
import { getRequestListener, RequestError } from "@hono/node-server";
import { LIMITS } from "./context/index.ts";
import { failure, refuseSocket } from "./http/index.ts";
import type { ContinuoServer } from "./server.ts";
import {
  createPeers,
  Pipelines,
  Strangers,
  type TrustedProxies,
  trustedProxies,
  UnreadAnswers,
} from "./sockets/index.ts";

export interface ServerHandle {
  /** `http://ADDRESS:PORT`. */
  readonly url: string;
  /** Takes no more connections, lets requests finish, and resolves when every socket is closed. */
  close(): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 is any free port. */
  readonly port: number;
  /**
   * `both` also takes the port at the other address of loopback, if the machine has it, because a browser may connect
   * to either address for a name below `localhost`. `one` by default.
   */
  readonly loopback?: "one" | "both";
  /**
   * `own` for a process that is only this server: the global `Response` is replaced by a cheaper one. `shared` by
   * default.
   */
  readonly process?: "own" | "shared";
  /** Proxies that name the address of the client; none by default. */
  readonly proxies?: TrustedProxies;
  /** The longest wait for a client that does not read an answer. */
  readonly stalledMs?: number;
}

const LISTEN_OPTIONS: KnownOptions<ListenOptions> = {
  host: true,
  port: true,
  loopback: true,
  process: true,
  proxies: true,
  stalledMs: true,
};

/** Errors: `usage` for an unknown option; `unavailable` if the address is in use or not allowed. */
export async function listen(server: ContinuoServer, options: ListenOptions): Promise<ServerHandle> {
  assertKnownOptions("listen", options, LISTEN_OPTIONS);
  const proxies = options.proxies ?? trustedProxies([]);
  const strangers = new Strangers(proxies, LIMITS, (address) => server.crowded(address));
  const peerOf = createPeers(proxies, strangers);
  const listener = getRequestListener(
    (request, { incoming, outgoing }) => {
      const whenAnswered = (then: () => void): void => {
        if (outgoing.closed) then();
        else outgoing.once("close", then);
      };
      return server.fetch(request, { ...peerOf(incoming as IncomingMessage), whenAnswered });
    },
    {
      overrideGlobalObjects: options.process === "own",
      errorHandler: (error) => failure(error instanceof RequestError ? noRequest() : error, server.headers),
    },
  );
  const pipelines = new Pipelines();
  const unread = new UnreadAnswers(options.stalledMs ?? LIMITS.stalledMs);
  const { requestMs, headersMs, keepAliveMs, lookForSlowMs } = LIMITS;
  const create = (): Server => {
    const http = createHttpServer(
      {
        requestTimeout: requestMs,
        headersTimeout: headersMs,
        keepAliveTimeout: keepAliveMs,
        connectionsCheckingInterval: lookForSlowMs,
        // The listener answers a request without a host.
        requireHostHeader: false,
      },
      (request, response) => {
        if (!pipelines.take(request.socket, response)) return;
        unread.watch(response);
        void listener(request, response);
      },
    );
    http.on("connection", (socket) => strangers.meet(socket));
    http.on("upgrade", (request, socket, head) => {
      server.upgrade(request, socket, head, peerOf(request));
    });
    http.on("checkExpectation", (_request, response) => {
      response.writeHead(417, { ...server.headers, "content-length": 0 }).end();
    });
    http.on("clientError", (error: NodeJS.ErrnoException, socket) => {
      // After an answer has begun, a second one would be inserted into it.
      if (!(socket instanceof Socket) || !socket.writable || socket.bytesWritten > 0) socket.destroy(error);
      else refuseSocket(socket, noRequest(), { ...server, status: STATUS_OF[error.code ?? ""] ?? 400 });
    });
    return http;
  };
  const bounds: Servers =
    options.loopback === "both" ? await boundToBoth(create, options) : [await bound(create(), options)];
  const address = bounds[0].address() as AddressInfo;
  const name = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return {
    url: `http://${name}:${address.port}`,
    close: () => closed(bounds, server).finally(() => unread.close()),
  };
}

/**
 * Runs a handler of fetch requests on a server of `node:http`. This serves all of the handler:
 * `createServer(toNodeListener(handler)).on("upgrade", handler.upgrade)`.
 */
export function toNodeListener(handler: (request: Request) => Response | Promise<Response>): RequestListener {
  const listener = getRequestListener(handler, { overrideGlobalObjects: false });
  return (request, response) => void listener(request, response);
}

const STATUS_OF: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

function noRequest(): ContinuoError {
  return new ContinuoError("invalid", "this is not an HTTP/1.1 request, or it is sent too slowly");
}

type ListenAddress = Pick<ListenOptions, "host" | "port">;
type Servers = readonly [Server, ...Server[]];

const FREE_PORT_TRIES = 10;

/** If any port may be taken, tries several: a port that is free at one address may be in use at the other one. */
async function boundToBoth(create: () => Server, { host, port }: ListenAddress): Promise<Servers> {
  for (let tries = 1; ; tries++) {
    const first = await bound(create(), { host, port });
    const address = first.address() as AddressInfo;
    const other = { host: address.family === "IPv6" ? "127.0.0.1" : "::1", port: address.port };
    try {
      return [first, await bound(create(), other)];
    } catch (error) {
      const code = codeOf(error);
      // No program can listen at an address that the machine does not have.
      if (code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT") return [first];
      first.close();
      if (port !== 0 || code !== "EADDRINUSE" || tries === FREE_PORT_TRIES) throw error;
    }
  }
}

function codeOf(error: unknown): string | undefined {
  return ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code;
}

function bound(http: Server, { host, port }: ListenAddress): Promise<Server> {
  return new Promise((resolve, reject) => {
    http.once("error", (cause: NodeJS.ErrnoException) => {
      reject(
        new ContinuoError("unavailable", `cannot listen on ${host}:${port}: ${cause.code ?? cause.message}`, {
          hint: "Choose another address with --listen.",
          details: { host, port },
          cause,
        }),
      );
    });
    http.listen(port, host, () => resolve(http));
  });
}

/** Requests are answered completely, up to a time limit. */
async function closed(bounds: Servers, server: ContinuoServer): Promise<void> {
  const gone = bounds.map((http) => new Promise((resolve) => http.close(resolve)));
  const closeIdle = (): void => {
    for (const http of bounds) http.closeIdleConnections();
  };
  await server.close();
  closeIdle();
  const timer = setTimeout(() => {
    for (const http of bounds) http.closeAllConnections();
  }, LIMITS.drainMs);
  const idle = setInterval(closeIdle, 50);
  await Promise.all(gone);
  clearTimeout(timer);
  clearInterval(idle);
}
