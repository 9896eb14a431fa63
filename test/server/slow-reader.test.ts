/**
 * Readers of a channel that do not read: the server waits, tells them to catch up, and buffers only a bounded amount.
 */

import type { IncomingMessage } from "node:http";
import { type Duplex, duplexPair } from "node:stream";
import type { Store } from "@continuo/core/model";
import { allowEverybody, createServer, type ServerOptions } from "@continuo/server";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";

const LOG = "channels/team";
const COUNT = 40;
/** Events of 200 kB that make more than the megabyte that may wait for a reader. */
const MOST = 6;
const TEXT = "x".repeat(200_000);

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

interface Stalled {
  /** The reader's end of the connection; the test decides when it is read. */
  readonly socket: Duplex;
  close(): Promise<void>;
}

/**
 * Sends hello, and reads nothing. The connection is a pair of streams, which hold a few kilobytes; the buffers of a
 * real socket could hold many megabytes.
 */
function stalled(store: Store, options: Partial<ServerOptions> = {}): Stalled {
  const server = createServer({
    store: () => store,
    authenticate: allowEverybody(store.workspaceId),
    ...options,
  });
  const [socket, far] = duplexPair();
  socket.on("error", () => undefined);
  const headers = {
    host: "127.0.0.1",
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  const request = { method: "GET", url: "/v1/channels/team/ws", headers } as unknown as IncomingMessage;
  server.upgrade(request, far, Buffer.alloc(0), { address: "127.0.0.1", isLoopback: true });
  const hello = Buffer.from(JSON.stringify({ type: "hello", protocol: 1, instance: "slow", after: 0 }));
  // Masked with zeros, which is a mask too.
  socket.write(Buffer.from([0x81, 0x80 | hello.length, 0, 0, 0, 0]));
  socket.write(hello);
  const close = async (): Promise<void> => {
    // One end of a pair is not notified when the other end is destroyed.
    for (const end of [socket, far]) end.destroy();
    await server.close();
  };
  return { socket, close };
}

test("the server reads little of a long log for a reader that reads nothing, and the rest when it reads", async () => {
  await using inner = await openStore("memory:");
  await fill(inner);
  const { store, tails } = counted(inner);
  const { socket, close } = stalled(store);
  // This many events may wait for one reader; one more is too many.
  await expect.poll(() => tails[0]?.given).toBe(MOST);
  // Another reader of the same log receives all of it at the same time.
  const events = [];
  for await (const event of inner.tail(LOG)) if (events.push(event) === COUNT) break;
  expect(tails[0]).toEqual({ given: MOST, ended: false });
  socket.resume();
  await expect.poll(() => tails[0]?.given).toBe(COUNT);
  await close();
});

test("a reader that reads nothing for too long receives the place to continue from, and the connection ends with 4008", async () => {
  await using inner = await openStore("memory:");
  await fill(inner);
  const { store, tails } = counted(inner);
  const { socket, close } = stalled(store, { slowReaders: { stalledMs: 100, goodbyeMs: 600_000 } });
  await expect.poll(() => tails[0]?.ended).toBe(true);
  let text = "";
  const goodbye = `${String.fromCharCode(0x0f, 0xa8)}catch up`;
  const closed = new Promise<void>((resolve) => {
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      if (text.endsWith(goodbye)) resolve();
    });
  });
  await closed;
  const given = [...text.matchAll(/"event":\{"sequence":(\d+)/gu)].map(([, sequence]) => Number(sequence));
  expect(given).toEqual(Array.from({ length: MOST }, (_, n) => n + 1));
  expect(text).toContain(`{"type":"catch_up","after":${MOST}}`);
  await close();
});
