/** Many event streams whose clients read nothing for a while: the bytes that the server holds for them, and their ends. */

import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Store } from "@continuo/core/model";
import { type ContinuoServer, createAuthenticate, createServer, type Peer } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";

const PEER: Peer = { address: "127.0.0.1", isLoopback: true };
const RECORD_BYTES = 200_000;
const LONG_BYTES = 2_000_000;
const READERS = 40;

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

let store: Store;
let server: ContinuoServer;
let token: string;
beforeEach(async () => {
  store = await openStore("memory:");
  server = createServer({
    store: (workspaceId) => store.forWorkspace(workspaceId),
    authenticate: createAuthenticate(store),
  });
  token = (await store.createToken({ scopes: ["stream:*:read"] })).secret;
  await store.createLog({ logId: "streams/long", mediaType: "application/json" });
});
afterEach(async () => {
  await server.close();
  await store.close();
});

async function append(records: number, bytes = RECORD_BYTES): Promise<void> {
  for (let n = 0; n < records; n++) {
    const data = Buffer.from(JSON.stringify(`${n}${"x".repeat(bytes)}`));
    await store.append("streams/long", [{ type: "bytes", data }]);
  }
}

async function open(signal?: AbortSignal): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const request = new Request("http://127.0.0.1/v1/stream/long?offset=-1&live=sse", {
    headers: { authorization: `Bearer ${token}` },
    ...(signal === undefined ? {} : { signal }),
  });
  const { body } = await server.fetch(request, PEER);
  if (body === null) throw new Error("there is no stream");
  return body.getReader();
}

test("all streams of one token complete, even if there is not room for all of them at once", {
  timeout: 60_000,
}, async () => {
  await append(2, LONG_BYTES);
  await store.closeLog("streams/long");
  const ends = await Promise.all(
    Array.from({ length: READERS }, async () => {
      const reader = await open();
      let records = 0;
      let last = "";
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        last = Buffer.from(part.value).toString().slice(-120);
        records += last.includes("streamNextOffset") ? 1 : 0;
      }
      return [records, last.includes('"streamClosed":true')];
    }),
  );
  expect(new Set(ends.map((end) => JSON.stringify(end)))).toEqual(new Set(["[2,true]"]));
});

test("a stream that nobody reads holds the bytes of one batch, and no other record, text or page", {
  timeout: 60_000,
}, async () => {
  await append(4);
  const deaf = new AbortController();
  // Other threads release buffers some time after a garbage collection, so rounds continue until several of them
  // release little.
  const held = async (): Promise<number> => {
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0, still = 0; round < 60 && still < 5; round++) {
      collect();
      await sleep(10);
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      const before = least;
      least = Math.min(least, heapUsed + arrayBuffers);
      still = before - least < RECORD_BYTES ? still + 1 : 0;
    }
    return least;
  };
  const before = await held();
  const readers = [];
  for (let n = 0; n < 200; n++) {
    const reader = await open(deaf.signal);
    await reader.read();
    readers.push(reader);
  }
  const ofOne = ((await held()) - before) / readers.length;
  // It is below zero if memory of earlier tests was released: the test files of a worker share their memory.
  expect(ofOne).toBeLessThan(RECORD_BYTES * 1.5);
  const parts = await Promise.all(readers.map((reader) => reader.read()));
  expect(parts.filter(({ done }) => done)).toEqual([]);
  deaf.abort();
  await Promise.all(readers.map((reader) => reader.cancel()));
});
