/** The agent host over WebSocket, at `/v1/ahp`, and at `/` for VS Code, which cannot name a path. */

import type { IncomingMessage } from "node:http";
import type { MachinePermission } from "@continuo/core/wire";
import type { MachineService } from "@continuo/core/wire/machine";
import type { WebSocket } from "ws";
import { AHP_LIMITS, AhpConnection, AhpHost } from "../../ahp/index.ts";
import { pageCredentialsOf, principalOf } from "../auth/index.ts";
import type { Credentials, Grant, Mount, Peer, ServerContext } from "../context/index.ts";
import { createTokenSockets } from "./token-sockets.ts";

/** VS Code can name a port, but no path. */
const PATHS: readonly string[] = ["/v1/ahp", "/"];

/** The machine for a token. Errors: `forbidden`; `not_found` on a server without a machine. */
export type MachineProvider = (grant: Grant, access: MachinePermission) => Promise<MachineService>;

export interface AhpEndpoint extends Required<Pick<Mount, "upgrade">> {
  close(): Promise<void>;
}

export function createAhpEndpoint(context: ServerContext, machineFor: MachineProvider): AhpEndpoint {
  let host: AhpHost | null = null;
  const { sockets, upgrade } = createTokenSockets<AhpHost>(context, {
    maxPayload: AHP_LIMITS.messageBytes,
    credentialsIn: (request) => (context.machine === undefined ? null : credentialsIn(request)),
    async admit(grant) {
      const machine = await machineFor(grant, "read");
      host ??= new AhpHost({ machine, now: Date.now, report: context.report });
      return host;
    },
    serve: (socket, { grant, peer, needs }) => serve(socket, { context, grant, host: needs, peer }),
    failure: "the agent host could not be started",
  });
  return {
    upgrade,
    async close() {
      for (const socket of sockets.clients) socket.close(1001);
      host?.close();
      sockets.close();
    },
  };
}

/** `null` for a path that belongs to another part. */
function credentialsIn(request: IncomingMessage): Credentials | null {
  if (!PATHS.includes(request.url ?? "")) return null;
  const secret = /^Bearer +(\S+)$/iu.exec(request.headers.authorization ?? "")?.[1];
  if (secret !== undefined) return { sentAs: "header", secret };
  return pageCredentialsOf(request) ?? { sentAs: "header" };
}

interface SocketContext {
  readonly context: ServerContext;
  readonly grant: Grant;
  readonly host: AhpHost;
  readonly peer: Peer;
}

function serve(socket: WebSocket, { context, grant, host, peer }: SocketContext): void {
  let place: Disposable;
  try {
    place = context.quotas.connect(grant, () => socket.close(1008, "the token no longer counts"));
  } catch (error) {
    context.refused(error, peer);
    socket.close(1013, "too many connections");
    return;
  }
  const store = context.store(grant.workspaceId, principalOf(grant));
  const connection = new AhpConnection({
    host,
    version: "1",
    send: (text) => send(socket, text),
    may: (access) => context.require(grant, { kind: "machine", access }),
    record: async (what, target) => void (await store.recordAudit({ what, target })),
    onRefused: (error) => context.refused(error, peer),
  });
  socket.on("message", (data, isBinary) => {
    const text = isBinary ? "" : data.toString();
    try {
      context.quotas.request(grant, Buffer.byteLength(text));
    } catch (error) {
      context.refused(error, peer);
      socket.close(1008, "too many messages");
      return;
    }
    void connection.receive(text);
  });
  // The close event that follows has the reason.
  socket.on("error", () => undefined);
  socket.on("close", () => {
    place[Symbol.dispose]();
    connection.close();
  });
}

/** A client that reads nothing is disconnected; when it returns, it receives what it missed. */
function send(socket: WebSocket, text: string | Uint8Array): void {
  if (socket.readyState !== socket.OPEN) return;
  if (socket.bufferedAmount > AHP_LIMITS.waitingBytes) socket.terminate();
  else socket.send(text, { binary: false });
}
