/** Another machine mirrors its sessions to this one over WebSocket, at `/v1/machine/mirror`. */

import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, present } from "@continuo/core/model";
import { type MachineService, MIRROR_PATH } from "@continuo/core/wire/machine";
import { createWebSocketStream, type WebSocket } from "ws";
import { principalOf } from "../auth/index.ts";
import type { Grant, Mount, Peer, ServerContext } from "../context/index.ts";
import type { MachineProvider } from "./ahp-socket.ts";
import { createTokenSockets } from "./token-sockets.ts";

export interface MirrorEndpoint extends Required<Pick<Mount, "upgrade">> {
  close(): Promise<void>;
}

/** A batch is smaller than this. */
const MESSAGE_BYTES = 4 * 1024 * 1024;

/** A page has no session to mirror: only a token in the header counts. */
export function createMirrorEndpoint(context: ServerContext, machineFor: MachineProvider): MirrorEndpoint {
  const open = new Set<Promise<void>>();
  const { sockets, upgrade } = createTokenSockets<MachineService>(context, {
    maxPayload: MESSAGE_BYTES,
    credentialsIn(request) {
      if (request.url !== MIRROR_PATH || context.machine === undefined) return null;
      const secret = /^Bearer +(\S+)$/iu.exec(request.headers.authorization ?? "")?.[1];
      return { sentAs: "header", ...present({ secret }) };
    },
    admit: (grant) => machineFor(grant, "write"),
    serve(socket, { grant, peer, needs: machine }) {
      const serving = serve(socket, { context, grant, peer, machine }).finally(() => open.delete(serving));
      open.add(serving);
    },
    failure: "the mirror could not be opened",
  });
  return {
    upgrade,
    async close() {
      for (const socket of sockets.clients) socket.close(1001);
      await Promise.all(open);
      sockets.close();
    },
  };
}

interface MirrorContext {
  readonly context: ServerContext;
  readonly grant: Grant;
  readonly peer: Peer;
  readonly machine: MachineService;
}

/** Runs until the other machine ends the connection, or its token is revoked. */
async function serve(socket: WebSocket, { context, grant, peer, machine }: MirrorContext): Promise<void> {
  const stream = createWebSocketStream(socket);
  // The next read or write reports the error.
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

/** Bytes are read no faster than the token may send. Errors: `rate_limited`. */
async function* counted(
  stream: Duplex,
  { quotas }: ServerContext,
  grant: Grant,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    // The receiver writes each part before it takes the next one.
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
