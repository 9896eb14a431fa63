/**
 * A server of one channel that prints when each message was committed (`continuo`), or a bare `ws` server that prints
 * when it began to send (`bare`): one line of JSON for each message, by the clock that all processes share.
 */

import { createServer as createHttp } from "node:http";
import type { AddressInfo } from "node:net";
import type { Store } from "@continuo/core/model";
import { allowEverybody, createServer, listen } from "@continuo/server";
import { openStore } from "@continuo/store";
import { WebSocketServer } from "ws";

const [, , kind, location = ""] = process.argv;
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const now = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000;

// The process ends by itself, so that `NODE_OPTIONS=--cpu-prof` writes its profile.
process.on("SIGTERM", () => process.exit());
if (kind === "continuo") await serveChannel();
else await serveBare();

async function serveChannel(): Promise<void> {
  const store = await openStore(location);
  const timed: Store = Object.assign(Object.create(store) as Store, {
    forWorkspace: () => timed,
    append: async (...given: Parameters<Store["append"]>) => {
      const stored = await store.append(...given);
      const [first] = stored;
      if (first?.type === "message_sent") say({ id: first.id, atMs: now() });
      return stored;
    },
  });
  const server = createServer({ store: () => timed, authenticate: allowEverybody(store.workspaceId) });
  const { url } = await listen(server, { host: "127.0.0.1", port: 0, process: "own" });
  say({ url });
}

/** Sends the bytes of each sender unchanged to all clients. */
async function serveBare(): Promise<void> {
  const http = createHttp();
  const sockets = new WebSocketServer({ server: http, perMessageDeflate: false });
  sockets.on("connection", (socket) => {
    socket.on("message", (data) => {
      const text = data.toString();
      say({ id: (JSON.parse(text) as { readonly event: { readonly id: string } }).event.id, atMs: now() });
      for (const reader of sockets.clients) reader.send(text);
    });
  });
  await new Promise<void>((done) => http.listen(0, "127.0.0.1", done));
  say({ url: `http://127.0.0.1:${(http.address() as AddressInfo).port}` });
}
