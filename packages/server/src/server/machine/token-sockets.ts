/** WebSockets whose token is checked before the handshake is answered: a stranger gets a status code, and no socket. */

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { ContinuoError } from "@continuo/core/model";
import { type WebSocket, WebSocketServer } from "ws";
import type { Credentials, Grant, Peer, ServerContext } from "../context/index.ts";
import { badHandshake } from "../http/index.ts";

/** The connection of a token. */
export interface TokenConnection<Needs> {
  readonly grant: Grant;
  readonly peer: Peer;
  readonly needs: Needs;
}

export interface TokenSocketsOptions<Needs> {
  readonly maxPayload: number;
  /** `null` for a path that belongs to another part. */
  credentialsIn(request: IncomingMessage): Credentials | null;
  /** Finds what the connection needs. Errors: those of a refusal. */
  admit(grant: Grant): Promise<Needs>;
  serve(socket: WebSocket, admitted: TokenConnection<Needs>): void;
  /** The message for an error that is not a refusal. */
  readonly failure: string;
}

interface TokenSockets {
  readonly sockets: WebSocketServer;
  /** False for a path that belongs to another part. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, peer: Peer): boolean;
}

export function createTokenSockets<Needs>(
  context: ServerContext,
  { maxPayload, credentialsIn, admit, serve, failure }: TokenSocketsOptions<Needs>,
): TokenSockets {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload,
    perMessageDeflate: false,
    handleProtocols: () => false,
  });
  sockets.on("wsClientError", (error, socket) => context.refuseUpgrade(socket, badHandshake(error)));
  const enter = async (credentials: Credentials, peer: Peer): Promise<TokenConnection<Needs>> => {
    const grant = await context.authenticate(credentials, peer);
    context.quotas.request(grant);
    return { grant, peer, needs: await admit(grant) };
  };
  return {
    sockets,
    upgrade(request, socket, head, peer) {
      const credentials = credentialsIn(request);
      if (credentials === null) return false;
      enter(credentials, peer)
        .then((admitted) =>
          sockets.handleUpgrade(request, socket, head, (webSocket) => serve(webSocket, admitted)),
        )
        .catch((error: unknown) => {
          context.refused(error, peer);
          const refusal = error instanceof ContinuoError ? error : new ContinuoError("unavailable", failure);
          context.refuseUpgrade(socket, refusal);
        });
      return true;
    },
  };
}
