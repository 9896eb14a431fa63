/** Another machine mirrors its sessions to this one over WebSocket, at `/v1/machine/mirror`. */

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { ContinuoError, messageOf } from "@continuo/core/model";
import { MIRROR_PATH } from "@continuo/core/wire/machine";
import { createWebSocketStream, type WebSocket, WebSocketServer } from "ws";
import type { MachineFor } from "../ahp/index.ts";
import { principalOf } from "../auth/index.ts";
import type { Grant, Peer, ServerContext } from "../context/index.ts";
import { badHandshake } from "../http/index.ts";

export interface MirrorEndpoint {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, peer: Peer): boolean;
  close(): Promise<void>;
}

/** A batch is smaller. */
const MESSAGE_BYTES = 4 * 1024 * 1024;

/** A page has no session to mirror: only a token in the header counts. */
export function createMirrorEndpoint(context: ServerContext, machineFor: MachineFor): MirrorEndpoint {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MESSAGE_BYTES,
    perMessageDeflate: false,
    handleProtocols: () => false,
  });
  sockets.on("wsClientError", (error, socket) => context.refuseUpgrade(socket, badHandshake(error)));
  const open = new Set<Promise<void>>();
  return {
    upgrade(request, socket, head, peer) {
      if (request.url !== MIRROR_PATH || context.machine === undefined) return false;
      const secret = /^Bearer +(\S+)$/iu.exec(request.headers.authorization ?? "")?.[1];
      const enter = async (): Promise<Served> => {
        const grant = await context.authenticate(
          secret === undefined ? { sentAs: "header" } : { sentAs: "header", secret },
          peer,
        );
        context.quotas.request(grant);
        return { context, grant, peer, machine: await machineFor(grant, "write") };
      };
      enter()
        .then((served) =>
          sockets.handleUpgrade(request, socket, head, (webSocket) => {
            const serving = serve(webSocket, served).finally(() => open.delete(serving));
            open.add(serving);
          }),
        )
        .catch((error: unknown) => {
          context.refused(error, peer);
          context.refuseUpgrade(socket, error instanceof ContinuoError ? error : unavailable());
        });
      return true;
    },
    async close() {
      for (const socket of sockets.clients) socket.close(1001);
      await Promise.all(open);
      sockets.close();
    },
  };
}

interface Served {
  readonly context: ServerContext;
  readonly grant: Grant;
  readonly peer: Peer;
  readonly machine: Awaited<ReturnType<MachineFor>>;
}

/** Until the other machine ends the connection, or its token ends. */
async function serve(socket: WebSocket, { context, grant, peer, machine }: Served): Promise<void> {
  const stream = createWebSocketStream(socket);
  // The next read or write reports it.
  stream.on("error", () => undefined);
  const store = context.store(grant.workspaceId, principalOf(grant));
  try {
    using _place = context.quotas.connect(grant, (error) => socket.close(1008, reasonOf(error)));
    await machine.mirror({
      incoming: counted(stream, context, grant),
      send: (bytes) => written(stream, bytes),
      begun: async (name) => void (await store.recordAudit({ what: "session_mirrored", target: name })),
    });
    socket.close(1000);
  } catch (error) {
    context.refused(error, peer);
    socket.close(1008, reasonOf(error));
  }
}

/** Bytes come no faster than the token may send. Errors: `rate_limited`. */
async function* counted(
  stream: Duplex,
  { quotas }: ServerContext,
  grant: Grant,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    // The receiver writes it before it takes the next one.
    using reception = quotas.receive(grant);
    const waitMs = reception.takeChunk(chunk.length);
    yield chunk;
    if (waitMs > 0) await sleep(waitMs);
  }
}

function written(stream: Duplex, bytes: Uint8Array): Promise<void> {
  return new Promise((done, refuse) => {
    stream.write(bytes, (error) => (error ? refuse(error) : done()));
  });
}

/** A reason of a close frame has at most 123 bytes. */
function reasonOf(error: unknown): string {
  return Buffer.from(messageOf(error))
    .subarray(0, 120)
    .toString("utf8")
    .replace(/\uFFFD$/u, "");
}

function unavailable(): ContinuoError {
  return new ContinuoError("unavailable", "the mirror could not be opened");
}
