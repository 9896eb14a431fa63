/** A stream with long records, and readers of it in this process. */

import { present, type Store } from "@continuo/core/model";
import { type ContinuoServer, createAuthenticate, createServer, type Peer } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterEach, beforeEach } from "vitest";

const PEER: Peer = { address: "127.0.0.1", isLoopback: true };
export const RECORD_BYTES = 200_000;

export interface LongStream {
  readonly store: Store;
  append(records: number, bytes?: number): Promise<void>;
  open(signal?: AbortSignal): Promise<ReadableStreamDefaultReader<Uint8Array>>;
}

/** Call it once in a file: each test gets a store and a server of its own. */
export function longStream(): LongStream {
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
      ...present({ signal }),
    });
    const { body } = await server.fetch(request, PEER);
    if (body === null) throw new Error("there is no stream");
    return body.getReader();
  }

  return {
    get store() {
      return store;
    },
    append,
    open,
  };
}
