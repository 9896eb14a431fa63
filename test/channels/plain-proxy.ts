/**
 * A small HTTP proxy in front of a server, like many real ones: it forwards requests, and does not support WebSockets.
 */

import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";

export interface PlainProxy extends AsyncDisposable {
  readonly url: string;
}

/** @param upgrades `refused` with a status, `forwarded` as if they were plain requests, or `held` without an answer */
export async function plainProxy(
  target: string,
  upgrades: "refused" | "forwarded" | "held",
): Promise<PlainProxy> {
  const forward = (incoming: IncomingMessage, response: ServerResponse): void => {
    const { method, url, headers } = incoming;
    const { connection, upgrade, ...kept } = headers;
    const onward = request(`${target}${url}`, { method, headers: kept }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.writeHead(502).end());
    incoming.pipe(onward);
  };
  const server = createServer(forward);
  // Without a listener, node treats an upgrade as a plain request.
  if (upgrades === "refused") {
    server.on("upgrade", (_, socket) => socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"));
  }
  const held = new Set<Duplex>();
  if (upgrades === "held") server.on("upgrade", (_, socket) => held.add(socket.on("error", () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of held) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
