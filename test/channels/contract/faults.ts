/** Lost connections, slow readers, and a store that does not open a session. */

import { connect as connectSocket } from "node:net";
import { connect } from "@continuo/core/client";
import { ContinuoError, type Store } from "@continuo/core/model";
import { expect } from "vitest";
import { openServer } from "../../server/harness/open-server.ts";
import { cuttingProxy } from "../cutting-proxy.ts";
import { take } from "../open-channel.ts";
import { type ChannelCase, LOG, until } from "./case.ts";

export const faultCases: readonly ChannelCase[] = [
  {
    id: "REPLAY-4",
    title: "a client delivers every event once, despite many lost connections",
    run: async ({ url, join }) => {
      await using proxy = await cuttingProxy(url);
      const reader = await join("reader", { serverUrl: proxy.url });
      const writer = await join("writer", { serverUrl: proxy.url });
      const count = 40;
      const sent = (async () => {
        for (let n = 0; n < count; n++) {
          await writer.send(`m${n}`);
          if (n % 10 === 5) proxy.cutAll();
        }
      })();
      const seen = await take(reader, count, ({ type }) => type === "message");
      await sent;
      expect(seen.map((event) => ("content" in event ? event.content : ""))).toEqual(
        Array.from({ length: count }, (_, n) => `m${n}`),
      );
      expect(proxy.cuts).toBeGreaterThan(3);
    },
  },
  {
    id: "CUR-5",
    title: "a channel works without its session, and reports why there is none",
    run: async (_, store) => {
      const broken: Store = Object.assign(Object.create(store) as Store, {
        forWorkspace: () => broken,
        getSession: () => Promise.reject(new ContinuoError("corrupt", "the row is not readable")),
      });
      const server = await openServer(broken);
      const warnings: string[] = [];
      const client = await connect({
        serverUrl: server.url,
        channel: "team",
        handle: "ann",
        workspaceId: store.workspaceId,
        onWarning: (line) => warnings.push(line),
      });
      try {
        expect(client.degraded).toBe("corrupt: the row is not readable");
        expect(warnings).toEqual(["the session could not be opened: corrupt: the row is not readable"]);
        await client.send("works");
        await client.commitCheckpoint(1);
        await client.updateSdkSession("x");
        await client.clearSdkSession();
        for (const member of [
          () => client.getHistory(),
          () => client.storeMessage("user", "x"),
          () => client.clearHistory(),
        ])
          await expect(member()).rejects.toMatchObject({ code: "degraded" });
        expect(await store.latestSequence(LOG)).toBe(1);
      } finally {
        await client.close();
        await server.close();
      }
    },
  },
  {
    id: "CUR-7",
    title:
      "a session that could not be opened is opened later, with the events that were committed in the meantime",
    run: async (_, store) => {
      let isBroken = true;
      const broken: Store = Object.assign(Object.create(store) as Store, {
        forWorkspace: () => broken,
        getSession: (id: string) =>
          isBroken ? Promise.reject(new ContinuoError("corrupt", "not readable")) : store.getSession(id),
      });
      const server = await openServer(broken);
      const { workspaceId } = store;
      const client = await connect({
        serverUrl: server.url,
        channel: "team",
        handle: "bot",
        type: "agent",
        workspaceId,
        onWarning: () => undefined,
      });
      try {
        await client.send("works");
        await client.commitCheckpoint(1);
        await client.updateSdkSession("native");
        expect([client.degraded, client.checkpoint]).toEqual(["corrupt: not readable", undefined]);
        isBroken = false;
        await until(() => client.degraded === undefined, "a session");
        await until(() => client.checkpoint === 1 && client.sdkSessionId === "native", "what was committed");
        expect(await store.getCursor({ logId: LOG, name: "processed/bot" })).toMatchObject({ sequence: 1 });
        await client.storeMessage("user", "x");
      } finally {
        await client.close();
        await server.close();
      }
    },
  },
  {
    id: "FLOW-1",
    title: "the server waits for a reader that does not read, and keeps only a limited amount for it",
    run: async ({ url, join }) => {
      const ann = await join("ann");
      const text = "x".repeat(200_000);
      for (let n = 0; n < 30; n++) await ann.send(text);
      const { hostname, port } = new URL(url);
      const socket = connectSocket(Number(port), hostname);
      socket.pause();
      let received = 0;
      socket.on("data", (chunk: Buffer) => {
        received += chunk.length;
      });
      socket.write(
        `GET /v1/channels/team/ws HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
      );
      socket.write(masked(JSON.stringify({ type: "hello", protocol: 1, instance: "slow", after: 0 })));
      // This client does not read, and all others continue.
      for (let n = 0; n < 5; n++) await ann.send("still fast");
      expect(received).toBe(0);
      socket.resume();
      await until(() => received > 30 * text.length, "everything arrives");
      socket.destroy();
    },
  },
  {
    id: "FLOW-3",
    title: "a client limits the events that wait for its reader, and requests the rest later",
    run: async ({ join }) => {
      const ann = await join("ann");
      const bob = await join("bob");
      const count = 1_200;
      // The messages are not sent all at once, because a slow machine would not renew the handle in the meantime.
      for (let from = 0; from < count; from += 100)
        await Promise.all(Array.from({ length: 100 }, (_, n) => ann.send(`m${from + n}`)));
      const seen = await take(bob, count, ({ type }) => type === "message");
      expect(seen.map(({ sequence }) => sequence)).toEqual(Array.from({ length: count }, (_, n) => n + 1));
    },
  },
];

/** Returns a text frame of a client. Its mask is zero, which is a valid mask. */
function masked(text: string): Buffer {
  const body = Buffer.from(text);
  const head = Buffer.from([0x81, 0x80 | 126, body.length >> 8, body.length & 0xff, 0, 0, 0, 0]);
  return Buffer.concat([head, body]);
}
