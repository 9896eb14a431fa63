/** The server on a socket. */

import { createServer as createHttpServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { ContinuoError } from "../model/index.ts";
import { LIMITS } from "./context/index.ts";
import type { ContinuoServer } from "./server.ts";
import { createPeers, Strangers, type TrustedProxies, trustedProxies } from "./sockets/index.ts";

export interface Listening {
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
   * `own` for a process that is only this server: the global `Response` is replaced by one that costs half as much.
   * `shared` by default.
   */
  readonly process?: "own" | "shared";
  /** Proxies that name the address of the client; none by default. */
  readonly proxies?: TrustedProxies;
}

/** Errors: `unavailable` if the address is in use or not allowed. */
export async function listen(server: ContinuoServer, options: ListenOptions): Promise<Listening> {
  const { host, port } = options;
  const proxies = options.proxies ?? trustedProxies([]);
  const strangers = new Strangers(proxies);
  const peerOf = createPeers(proxies, strangers);
  const listener = getRequestListener(
    (request, env) => server.fetch(request, peerOf(env.incoming as IncomingMessage)),
    { overrideGlobalObjects: options.process === "own" },
  );
  const { requestMs, headersMs, keepAliveMs, lookForSlowMs } = LIMITS;
  const http = createHttpServer(
    {
      requestTimeout: requestMs,
      headersTimeout: headersMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: lookForSlowMs,
    },
    listener,
  );
  http.on("connection", (socket) => strangers.meet(socket));
  http.on("upgrade", (request, socket, head) => {
    server.upgrade(request, socket, head, peerOf(request));
  });
  await bound(http, { host, port });
  const address = http.address() as AddressInfo;
  const name = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return { url: `http://${name}:${address.port}`, close: () => closed(http, server) };
}

function bound(http: Server, { host, port }: ListenOptions): Promise<void> {
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
    http.listen(port, host, resolve);
  });
}

/** Requests are answered to their end, up to a limit of time. */
async function closed(http: Server, server: ContinuoServer): Promise<void> {
  const gone = new Promise<void>((resolve) => {
    http.close(() => resolve());
  });
  await server.close();
  http.closeIdleConnections();
  const timer = setTimeout(() => http.closeAllConnections(), LIMITS.drainMs);
  const idle = setInterval(() => http.closeIdleConnections(), 50);
  await gone;
  clearTimeout(timer);
  clearInterval(idle);
}
