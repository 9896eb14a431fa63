/** Readers of a channel that do not read: waited for, told to catch up, never buffered for without a bound. */

import { connect as connectSocket, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { watch } from "../../src/client/index.ts";
import type { Store } from "../../src/model/index.ts";
import { openStore } from "../../src/store/index.ts";
import { take } from "../channels/open-channel.ts";
import { openServer } from "./harness/open-server.ts";

const LOG = "channels/team";
const COUNT = 160;
const TEXT = "x".repeat(200_000);

let opened: Disposable[] = [];
afterEach(() => {
  for (const one of opened) one[Symbol.dispose]();
  opened = [];
});

interface Tail {
  given: number;
  ended: boolean;
}

/** Counts what each tail of the channel gives its reader. */
function counted(store: Store): { readonly store: Store; readonly tails: readonly Tail[] } {
  const tails: Tail[] = [];
  const counting: Store = Object.assign(Object.create(store) as Store, {
    forWorkspace: () => counting,
    tail: async function* (...given: Parameters<Store["tail"]>) {
      const tail: Tail = { given: 0, ended: false };
      tails.push(tail);
      try {
        for await (const event of store.tail(...given)) {
          tail.given++;
          yield event;
        }
      } finally {
        tail.ended = true;
      }
    },
  });
  return { store: counting, tails };
}

async function fill(store: Store): Promise<void> {
  await store.createLog({ logId: LOG });
  const actor = { kind: "person", id: "ann" } as const;
  for (let n = 0; n < COUNT; n++) {
    await store.append(LOG, [{ type: "message_sent", actor, data: { content: `${n} ${TEXT}` } }]);
  }
}

/** Says hello, and reads nothing. */
function stalled(url: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connectSocket(Number(port), hostname);
  opened.push({ [Symbol.dispose]: () => void socket.destroy() });
  socket.pause();
  socket.on("error", () => undefined);
  socket.write(
    `GET /v1/channels/team/ws HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  );
  const hello = Buffer.from(JSON.stringify({ type: "hello", protocol: 1, instance: "slow", after: 0 }));
  // Masked with zeros, which is a mask too.
  socket.write(Buffer.from([0x81, 0x80 | hello.length, 0, 0, 0, 0]));
  socket.write(hello);
  return socket;
}

test("while a reader reads nothing, others read everything, and the server takes little of the log for it", async () => {
  await using inner = await openStore("memory:");
  await fill(inner);
  const { store, tails } = counted(inner);
  const server = await openServer(store);
  stalled(server.url);
  await expect.poll(() => tails[0]?.given ?? 0).toBeGreaterThan(0);
  const reader = await watch({ serverUrl: server.url, channel: "team" });
  expect(await take(reader, COUNT)).toHaveLength(COUNT);
  // Of 32 MB: what the two sockets hold, and a megabyte more.
  expect(tails[0]?.given).toBeLessThan(COUNT / 2);
  await reader.close();
  await server.close();
});

test("a reader that reads nothing for too long is told where to go on, and the connection ends with 4008", async () => {
  await using inner = await openStore("memory:");
  await fill(inner);
  const { store, tails } = counted(inner);
  const slowReaders = { stalledMs: 100, goodbyeMs: 60_000 };
  const server = await openServer(store, { slowReaders });
  const socket = stalled(server.url);
  await expect.poll(() => tails[0]?.ended).toBe(true);
  const chunks: Buffer[] = [];
  const closed = new Promise<void>((resolve) => {
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      // The close frame of the server: 4008, "catch up".
      if (Buffer.concat(chunks.slice(-2)).includes(Buffer.from([0x0f, 0xa8, ...Buffer.from("catch up")])))
        resolve();
    });
  });
  socket.resume();
  await closed;
  const text = Buffer.concat(chunks).toString("latin1");
  const given = [...text.matchAll(/"event":\{"sequence":(\d+)/gu)].map(([, sequence]) => Number(sequence));
  const [, after] = /\{"type":"catch_up","after":(\d+)\}/u.exec(text) ?? [];
  expect(given).toEqual(Array.from({ length: given.length }, (_, n) => n + 1));
  expect(Number(after)).toBe(given.at(-1));
  socket.destroy();
  await server.close();
});
