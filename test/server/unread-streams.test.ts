/**
 * Event streams whose clients read nothing for a while: what the server holds for them, and that other streams
 * continue.
 */

import { setFlagsFromString } from "node:v8";
import type { Store } from "@continuo/core/model";
import { type ContinuoServer, createAuthenticate, createServer, type Peer } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";

const PEER: Peer = { address: "127.0.0.1", isLoopback: true };
const RECORD_BYTES = 200_000;
setFlagsFromString("--expose-gc");
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

test("a reader at the end that stops reading releases its page, and receives every record when it reads again", {
  timeout: 60_000,
}, async () => {
  await append(1);
  const reader = await open();
  const numbers: number[] = [];
  const next = async (): Promise<void> => {
    const { value } = await reader.read();
    const text = Buffer.from(value ?? []).toString();
    for (const [, number] of text.matchAll(/"(\d)x/gu)) numbers.push(Number(number));
  };
  await next();
  await append(1);
  await next();
  // Longer than a reader may take nothing.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await append(3);
  while (numbers.length < 5) await next();
  expect(numbers).toEqual([0, 0, 0, 1, 2]);
  await reader.cancel();
});
