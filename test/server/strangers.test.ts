/** Clients without a token: what they may send, how long they may wait, and how many of them may be connected. */

import { connect, type Socket } from "node:net";
import type { Store } from "@continuo/core/model";
import { CHANNEL_LIMITS, LIVE_SUBPROTOCOL, SUBPROTOCOL } from "@continuo/core/wire";
import { createAuthenticate, type ServerHandle } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { openServer } from "./harness/open-server.ts";

let store: Store;
let server: ServerHandle;
beforeAll(async () => {
  store = await openStore("memory:");
  server = await openServer(store, { authenticate: createAuthenticate(store) });
});
afterAll(async () => {
  await server.close();
  await store.close();
});

/** A WebSocket as bytes: `ws` would not send half a frame. */
async function opened(place = "channels/team", protocol = SUBPROTOCOL): Promise<Socket> {
  const { host, port } = new URL(server.url);
  const socket = connect(Number(port), "127.0.0.1").on("error", () => undefined);
  socket.write(
    `GET /v1/${place}/ws HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: ${protocol}\r\n` +
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
  );
  await new Promise((resolve) => socket.once("data", resolve));
  return socket;
}

/** Returns the beginning of a masked text frame of 4 MB. */
function headOfFrame(): Buffer {
  const head = Buffer.alloc(14);
  head.set([0x81, 0xff]);
  head.writeUInt32BE(4_000_000, 6);
  return head;
}

function hasClosed(socket: Socket): Promise<unknown> {
  return socket.closed ? Promise.resolve() : new Promise((resolve) => socket.once("close", resolve));
}

test("the server reads a first frame up to 64 KB, and closes the connection at once if it is longer", async () => {
  const socket = await opened();
  const begin = performance.now();
  socket.write(headOfFrame());
  socket.write(Buffer.alloc(64_000));
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(socket.closed).toBe(false);
  socket.write(Buffer.alloc(4_000));
  await hasClosed(socket);
  expect(performance.now() - begin).toBeLessThan(CHANNEL_LIMITS.helloMs);
});

test("if a connection sends megabytes after its hello, the server reads them only after it accepted the hello", async () => {
  const { secret: token } = await store.createToken({
    scopes: ["channel:pipelined:read,write"],
    handle: "ann",
  });
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/v1/channels/pipelined/ws`, SUBPROTOCOL);
  await new Promise((resolve) => socket.once("open", resolve));
  const hello = { type: "hello", protocol: 1, instance: "i", handle: "ann", after: 0, token };
  socket.send(JSON.stringify(hello));
  for (let n = 0; n < 20; n++) {
    socket.send(JSON.stringify({ type: "send", request: n, id: `m${n}`, content: "x".repeat(500_000) }));
  }
  await expect.poll(async () => (await store.getLog("channels/pipelined"))?.latestSequence).toBe(20);
  socket.terminate();
});

test("a stranger that sends heartbeats instead of a hello is disconnected like a silent one", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  try {
    for (const [place, protocol] of [
      ["channels/team", SUBPROTOCOL],
      ["live/team", LIVE_SUBPROTOCOL],
    ] as const) {
      const other = await openServer(store, { authenticate: createAuthenticate(store) });
      const socket = new WebSocket(`${other.url.replace("http", "ws")}/v1/${place}/ws`, protocol);
      await new Promise((resolve) => socket.once("open", resolve));
      const end = new Promise((resolve) => socket.once("close", resolve));
      for (let seconds = 0; seconds < 20; seconds++) {
        socket.send('{"type":"heartbeat"}');
        await new Promise((resolve) => setImmediate(resolve));
        await vi.advanceTimersByTimeAsync(1_000);
      }
      await end;
      await other.close();
    }
  } finally {
    vi.useRealTimers();
  }
});

test("one address has at most 512 silent connections, and a connection with a token is always accepted", async () => {
  const { secret } = await store.createToken({ scopes: ["admin"] });
  const port = Number(new URL(server.url).port);
  const sockets = Array.from({ length: 700 }, () => connect(port, "127.0.0.1").on("error", () => undefined));
  const openCount = (): number => sockets.filter(({ closed }) => !closed).length;
  await expect.poll(openCount).toBeLessThanOrEqual(512);
  expect(openCount()).toBeGreaterThan(100);
  const status = async (): Promise<number | null> =>
    fetch(`${server.url}/v1/channels`, { headers: { authorization: `Bearer ${secret}` } }).then(
      (answer) => answer.status,
      () => null,
    );
  await expect.poll(status).toBe(200);
  for (const socket of sockets) socket.destroy();
});
