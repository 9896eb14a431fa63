/** The limits that an operator sets, each attacked from the outside by a client that exceeds it. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect } from "../../src/client/index.ts";
import { SERVER_LIMIT_KEYS } from "../../src/config/server-limits.ts";
import type { Store } from "../../src/model/index.ts";
import {
  createAuthenticate,
  DEFAULT_LIMITS,
  type Listening,
  type ServerLimits,
} from "../../src/server/index.ts";
import { openStore } from "../../src/store/index.ts";
import type { WireError } from "../../src/wire/index.ts";
import { openServer } from "./harness/open-server.ts";

let store: Store;
const servers: Listening[] = [];
beforeAll(async () => {
  store = await openStore("memory:");
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await store.close();
});

async function serverWith(limits: Partial<ServerLimits>): Promise<{ url: string; token: string }> {
  const server = await openServer(store, { authenticate: createAuthenticate(store), limits });
  servers.push(server);
  const { secret } = await store.createToken({ scopes: ["admin"] });
  return { url: server.url, token: secret };
}

function joining({ url, token }: { url: string; token: string }, channel: string, handle: string) {
  return connect({ serverUrl: url, token, channel, handle, workspaceId: "default", reconnect: false });
}

test("frame_bytes: a longer frame is not read, its sender gets too_large and can continue", async () => {
  const server = await serverWith({ frameBytes: 65_536 });
  const ann = await connect({ serverUrl: server.url, token: server.token, channel: "frames", handle: "ann" });
  await expect(ann.send("x".repeat(70_000))).rejects.toMatchObject({ code: "too_large" });
  await ann.send("short");
  await ann.close();
  const { events } = await store.read("channels/frames");
  expect(events.map(({ data }) => data)).toMatchObject([{ content: "short" }]);
});

test("channels: a token in as many channels as it may be enters no other, until it leaves one", async () => {
  const server = await serverWith({ channels: 2 });
  const one = await joining(server, "one", "ann");
  const two = await joining(server, "two", "ann");
  // Another connection in a channel that is counted already.
  const again = await joining(server, "one", "bob");
  await expect(joining(server, "three", "ann")).rejects.toMatchObject({ code: "rate_limited" });
  await two.close();
  const entered = async (): Promise<string> =>
    joining(server, "three", "ann").then(
      (client) => client.close().then(() => "entered"),
      (error) => error.code,
    );
  await expect.poll(entered).toBe("entered");
  await one.close();
  await again.close();
});

test("blob_bytes: a larger attachment is refused, and none of it is kept", async () => {
  const { url, token } = await serverWith({ blobBytes: 1_000 });
  const put = (size: number): Promise<Response> =>
    fetch(`${url}/v1/blobs`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: new Uint8Array(size),
    });
  const refused = await put(1_001);
  expect([refused.status, ((await refused.json()) as WireError).error.code]).toEqual([413, "too_large"]);
  expect((await put(1_000)).status).toBe(201);
});

test("history_items: a request for more is refused", async () => {
  const server = await serverWith({ historyItems: 20 });
  const ann = await joining(server, "history", "ann");
  for (let n = 0; n < 22; n++) await ann.storeMessage("user", `m${n}`);
  await expect(ann.getHistory(21)).rejects.toMatchObject({ code: "invalid", details: { limit: 20 } });
  expect(await ann.getHistory()).toHaveLength(20);
  await ann.close();
});

test("requests_per_second: frames of a WebSocket count as requests do", async () => {
  const server = await serverWith({ requestsPerSecond: 1 });
  const ann = await joining(server, "rate", "ann");
  const codes = await Promise.all(
    Array.from({ length: 60 }, () =>
      ann.send("x").then(
        () => "stored",
        (error) => error.code,
      ),
    ),
  );
  expect(new Set(codes)).toEqual(new Set(["stored", "rate_limited"]));
  await ann.close();
});

test("every limit of continuo.yaml is one of the server's, and docs/server.md has it with its default", () => {
  const settings = Object.values(SERVER_LIMIT_KEYS).map(({ setting }) => setting);
  expect(settings.toSorted()).toEqual(Object.keys(DEFAULT_LIMITS).toSorted());
  const docs = readFileSync(join(import.meta.dirname, "../../docs/server.md"), "utf8");
  const rows = [...docs.matchAll(/^\| `([a-z_]+)` \| ([\d,]+) \|/gmu)].map(([, key = "", number = ""]) => [
    key,
    Number(number.replaceAll(",", "")),
  ]);
  expect(rows).toEqual(
    Object.entries(SERVER_LIMIT_KEYS).map(([key, { setting }]) => [key, DEFAULT_LIMITS[setting]]),
  );
});
