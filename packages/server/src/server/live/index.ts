/**
 * Continuous sessions over HTTP and WebSocket, at `/v1/live/*`, `/v1/videos/*` and `/v1/whisper/*`.
 *
 * Promises: input that was answered is durable; a reader receives every event of the feed once and in order; all
 * connected clients are informed of a degraded session.
 * Does not know: what a note is, who owns a session (`live/`).
 */

import { LIVE_SUBPROTOCOL } from "@continuo/core/wire";
import { WebSocketServer } from "ws";
import { pageCredentialsOf, socketCredentials } from "../auth/index.ts";
import type { CreateMount } from "../context/index.ts";
import { badHandshake } from "../http/index.ts";
import { LiveConnection } from "./connection.ts";
import { LIMITS } from "./limits.ts";
import { measureLive } from "./live-metrics.ts";
import { liveRoutes } from "./routes.ts";
import { LiveServices } from "./services.ts";
import { whisperRoutes } from "./whisper-routes.ts";

const PATH = /^\/v1\/live\/([^/?#]+)\/ws$/u;

export const live: CreateMount = (context) => {
  const services = new LiveServices(context, context.live ?? { workspaceIds: [] });
  const leaveMetrics = measureLive(context.metrics);
  const connections = new Set<LiveConnection>();
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: LIMITS.frameBytes,
    perMessageDeflate: false,
    autoPong: false,
    handleProtocols: (given) => (given.has(LIVE_SUBPROTOCOL) ? LIVE_SUBPROTOCOL : false),
  });
  sockets.on("wsClientError", (error, socket) => context.refuseUpgrade(socket, badHandshake(error)));
  const beats = setInterval(() => {
    for (const connection of connections) connection.beat();
  }, LIMITS.heartbeatMs).unref();
  return {
    routes: (app) => {
      liveRoutes(app, context, services);
      whisperRoutes(app, context);
    },
    upgrade: (request, socket, head, peer) => {
      const key = keyIn(request.url ?? "");
      if (key === null) return false;
      const page = pageCredentialsOf(request);
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        const connection = new LiveConnection({
          socket: webSocket,
          report: context.report,
          onRefused: (error) => context.refused(error, peer),
          join: async ({ token }) => {
            const credentials = socketCredentials(token, page);
            const grant = await context.authenticate(credentials, peer);
            context.quotas.request(grant);
            context.require(grant, { kind: "live", name: key, access: "read" });
            const service = await services.of(grant.workspaceId).of(key);
            const sessionId = await service.sessionIdOf(key);
            const place = context.quotas.connect(grant, (error) => connection.lose(error));
            return { service, sessionId, place };
          },
        });
        connections.add(connection);
        void connection.closed.then(() => connections.delete(connection));
      });
      return true;
    },
    close: async () => {
      clearInterval(beats);
      leaveMetrics();
      for (const connection of connections) connection.drain();
      await Promise.all([...connections].map((connection) => connection.closed));
      await services.close();
      sockets.close();
    },
  };
};

/** `null` for any other path, and for one with a broken percent sign. */
function keyIn(url: string): string | null {
  const [, key] = PATH.exec(url) ?? [];
  if (key === undefined) return null;
  try {
    return decodeURIComponent(key);
  } catch {
    return null;
  }
}
