/**
 * Channels over WebSocket and HTTP at `/v1/channels/*`, as `PROTOCOL.md` defines them.
 *
 * Promises: a reader receives every event once, in order and at its own pace, and a notice when it is too slow; any
 * running server finds a lost participant.
 * Does not know: how a channel is stored (`channels/`).
 */

import type { Duplex } from "node:stream";
import { CHANNEL_LIMITS, SUBPROTOCOL } from "@continuo/core/wire";
import { type WebSocket, WebSocketServer } from "ws";
import { pageCredentialsOf, socketCredentials } from "../auth/index.ts";
import type { CreateMount, Credentials, Peer, ServerContext } from "../context/index.ts";
import { badHandshake } from "../http/index.ts";
import { admit } from "./admit.ts";
import { Connection } from "./connection.ts";
import { Hub } from "./hub.ts";
import { LIMITS } from "./limits.ts";
import { createListeningClock, type ListeningClock } from "./listening-clock.ts";
import { channelRoutes } from "./routes.ts";

const PATH = /^\/v1\/channels\/([^/?#]+)\/ws$/u;
const BEARER = "bearer.";

export const channels: CreateMount = (context) => {
  const clock = createListeningClock();
  const hub = new Hub(context.report, clock);
  // Slices send their heartbeats one after another: 10,000 at the same time would delay other messages.
  const slices = Array.from({ length: LIMITS.heartbeatSlices }, () => new Set<Connection>());
  let arrivals = 0;
  let beat = 0;
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: context.limits.frameBytes,
    perMessageDeflate: false,
    autoPong: false,
    handleProtocols: (given) => (given.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });
  sockets.on("wsClientError", (error, socket) => context.refuseUpgrade(socket, badHandshake(error)));
  const beats = setInterval(() => {
    // The clock is read at each beat, even without connections, so that it notices when this process did not run.
    clock.now();
    for (const connection of sliceOf(slices, beat++)) connection.beat();
  }, CHANNEL_LIMITS.heartbeatMs / LIMITS.heartbeatSlices).unref();
  return {
    routes: (app) => channelRoutes(app, context, hub),
    upgrade: (request, socket, head, peer) => {
      const channel = channelIn(request.url ?? "");
      if (channel === null) return false;
      const secret = secretIn(request.headers["sec-websocket-protocol"]);
      const connections = sliceOf(slices, arrivals++);
      const page = pageCredentialsOf(request);
      const take = connectionTaker({
        context,
        hub,
        clock,
        connections,
        stream: socket,
        channel,
        peer,
        secret,
        page,
      });
      sockets.handleUpgrade(request, socket, head, take);
      return true;
    },
    close: async () => {
      clearInterval(beats);
      const connections = slices.flatMap((slice) => [...slice]);
      for (const connection of connections) connection.drain();
      await Promise.all(connections.map((connection) => connection.closed));
      await hub.close();
      sockets.close();
    },
  };
};

function sliceOf<T>(slices: readonly Set<T>[], turn: number): Set<T> {
  return slices[turn % slices.length] as Set<T>;
}

interface Arrival {
  readonly context: ServerContext;
  readonly hub: Hub;
  readonly clock: ListeningClock;
  readonly connections: Set<Connection>;
  readonly stream: Duplex;
  readonly channel: string;
  readonly peer: Peer;
  /** The token from a subprotocol; without one, the token comes with the hello. */
  readonly secret: string | undefined;
  /** The cookie of a page that sends no token. */
  readonly page: Credentials | undefined;
}

/** The result keeps no reference to the request, so that an idle reader keeps no request and headers in memory. */
function connectionTaker(arrival: Arrival): (socket: WebSocket) => void {
  const { context, hub, clock, connections, stream, channel, peer, secret: sent, page } = arrival;
  return (socket) => {
    let count: (bytes: number) => void = () => undefined;
    const connection = new Connection({
      socket,
      stream,
      hub,
      clock,
      draining: context.draining,
      slowReaders: context.slowReaders,
      report: context.report,
      onRefused: (error) => context.refused(error, peer),
      count: (bytes) => count(bytes),
      admit: async (hello, { signal, seating }) => {
        const credentials = socketCredentials(sent ?? hello.token, page);
        const grant = await context.authenticate(credentials, peer);
        count = (bytes) => context.quotas.request(grant, bytes);
        const place = context.quotas.connect(grant, (error) => connection.lose(error), { channel });
        try {
          return await admit(hello, { context, hub, channel, grant, place, signal, seating });
        } catch (error) {
          place[Symbol.dispose]();
          throw error;
        }
      },
    });
    connections.add(connection);
    void connection.closed.then(() => connections.delete(connection));
  };
}

/** `null` for any other path, and for one with a broken percent sign. */
function channelIn(url: string): string | null {
  const [, name] = PATH.exec(url) ?? [];
  if (name === undefined) return null;
  try {
    return decodeURIComponent(name);
  } catch {
    return null;
  }
}

/** Returns the token that the client sends as a second subprotocol. */
function secretIn(header: string | undefined): string | undefined {
  const found = (header ?? "").split(",").find((one) => one.trim().startsWith(BEARER));
  return found?.trim().slice(BEARER.length);
}
