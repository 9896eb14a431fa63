/** The limits that an operator sets, each exceeded by a client over the network. */

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { connect } from "@continuo/core/client";
import type { Store } from "@continuo/core/model";
import type { WireError } from "@continuo/core/wire";
import {
  createAuthenticate,
  DEFAULT_LIMITS,
  type ServerHandle,
  type ServerLimits,
  type ServerOptions,
} from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { SERVER_LIMIT_KEYS } from "../../packages/agents/src/config/server-limits.ts";
import { openServer } from "./harness/open-server.ts";

let store: Store;
const servers: ServerHandle[] = [];
beforeAll(async () => {
  store = await openStore("memory:");
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await store.close();
});

interface Served {
  readonly url: string;
  readonly token: string;
}

async function serverWith(
  limits: Partial<ServerLimits>,
  scopes = ["admin"],
  more: Pick<ServerOptions, "machine"> = {},
): Promise<Served> {
  const server = await openServer(store, { authenticate: createAuthenticate(store), limits, ...more });
  servers.push(server);
  const { secret } = await store.createToken({ scopes, anyHandle: true });
  return { url: server.url, token: secret };
}

function send(
  { url, token }: Served,
  method: string,
  path: string,
  body?: string | ReadableStream,
): Promise<Response> {
  return fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body, duplex: "half" }),
  });
}

async function refusal(answer: Promise<Response>): Promise<readonly [number, string]> {
  const response = await answer;
  return [response.status, ((await response.json()) as WireError).error.code];
}

function joining({ url, token }: { url: string; token: string }, channel: string, handle: string) {
  return connect({ serverUrl: url, token, channel, handle, workspaceId: "default", reconnect: false });
}

test("frame_bytes: the server does not read a longer frame; its sender receives too_large and can continue", async () => {
  const server = await serverWith({ frameBytes: 65_536 });
  const ann = await connect({ serverUrl: server.url, token: server.token, channel: "frames", handle: "ann" });
  await expect(ann.send("x".repeat(70_000))).rejects.toMatchObject({ code: "too_large" });
  await ann.send("short");
  await ann.close();
  const { events } = await store.read("channels/frames");
  expect(events.map(({ data }) => data)).toMatchObject([{ content: "short" }]);
});

test("channels: a token at its limit of channels cannot enter another one until it leaves one", async () => {
  const server = await serverWith({ channels: 2 });
  const one = await joining(server, "one", "ann");
  const two = await joining(server, "two", "ann");
  // Another connection in a channel that was already counted.
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

test("blob_bytes: the server refuses a larger attachment, and stores none of it", async () => {
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

test("history_items: the server refuses a request for more", async () => {
  const server = await serverWith({ historyItems: 20 });
  const ann = await joining(server, "history", "ann");
  for (let n = 0; n < 22; n++) await ann.storeMessage("user", `m${n}`);
  await expect(ann.getHistory(21)).rejects.toMatchObject({ code: "invalid", details: { limit: 20 } });
  expect(await ann.getHistory()).toHaveLength(20);
  await ann.close();
});

test("requests_per_second: frames of a WebSocket count as requests", async () => {
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

test("requests_per_second: a WebSocket of the machine counts as a request", async () => {
  const { url, token } = await serverWith({ requestsPerSecond: 1 }, ["channel:team:read"], {
    machine: () => Promise.reject(new Error("nobody reaches the machine")),
  });
  const headers = {
    authorization: `Bearer ${token}`,
    connection: "upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  const statuses: (number | undefined)[] = [];
  for (let at = 0; at < 3; at++) {
    const request = httpRequest(`${url}/v1/ahp`, { headers }).end();
    const [response] = (await once(request, "response")) as [IncomingMessage];
    statuses.push(response.resume().statusCode);
  }
  expect(statuses).toEqual([403, 403, 429]);
});

/** A body without a declared length. */
function chunked(...chunks: readonly string[]): ReadableStream {
  return ReadableStream.from(chunks.map((chunk) => Buffer.from(chunk)));
}

test("bytes_per_second: one body may be larger, the next one must wait, and another token does not have to", async () => {
  const server = await serverWith({ bytesPerSecond: 65_536 });
  const body = JSON.stringify("x".repeat(2_000_000));
  await send(server, "PUT", "/v1/stream/rates");
  expect((await send(server, "POST", "/v1/stream/rates", body)).status).toBe(204);
  const refused = await send(server, "POST", "/v1/stream/rates", body);
  expect([refused.status, Number(refused.headers.get("retry-after")) >= 1]).toEqual([429, true]);
  const { secret: token } = await store.createToken({ scopes: ["admin"] });
  expect((await send({ ...server, token }, "POST", "/v1/stream/rates", body)).status).toBe(204);
});

test("bytes_per_second: a body without a declared length has the same limit", async () => {
  const server = await serverWith({ bytesPerSecond: 65_536 });
  const begin = performance.now();
  const body = chunked('"', "x".repeat(150_000), "y".repeat(150_000), '"');
  await send(server, "PUT", "/v1/stream/chunks");
  expect((await send(server, "POST", "/v1/stream/chunks", body)).status).toBe(204);
  // The server accepts the first quarter of a megabyte at once.
  expect(performance.now() - begin).toBeGreaterThan(500);
  expect((await store.read("streams/chunks")).events).toHaveLength(1);
});

test("bytes_per_second: bytes of frames count as bytes of bodies", async () => {
  const server = await serverWith({ bytesPerSecond: 65_536 });
  const ann = await joining(server, "bytes", "ann");
  await ann.send("x".repeat(1_000_000));
  await expect(ann.send("x".repeat(300_000))).rejects.toMatchObject({ code: "rate_limited" });
  await ann.close();
});

test("bytes_per_day: a token cannot send more bytes a day, and bytes of an administrator's token do not count", async () => {
  const limits = { bytesPerDay: 10_000 };
  const visitor = await serverWith(limits, ["stream:day:read,write"]);
  const body = JSON.stringify("x".repeat(9_000));
  await send(visitor, "PUT", "/v1/stream/day", "[]");
  expect((await send(visitor, "POST", "/v1/stream/day", body)).status).toBe(204);
  expect((await send(visitor, "POST", "/v1/stream/day", body)).status).toBe(204);
  expect(await refusal(send(visitor, "POST", "/v1/stream/day", body))).toEqual([429, "rate_limited"]);
  const admin = await serverWith(limits);
  for (let n = 0; n < 4; n++) expect((await send(admin, "POST", "/v1/stream/day", body)).status).toBe(204);
});

test("blob_bytes_per_day: a visitor cannot store more bytes of attachments, and the smallest attachment counts too", async () => {
  const visitor = await serverWith({ blobBytesPerDay: 50_000 }, ["channel:blobs:read,write"]);
  const put = (size: number): Promise<Response> => send(visitor, "POST", "/v1/blobs", "x".repeat(size));
  for (let n = 0; n < 5; n++) expect((await put(n)).status).toBe(201);
  expect((await put(30_000)).status).toBe(201);
  expect(await refusal(put(1))).toEqual([429, "rate_limited"]);
});

test("logs_per_day: a visitor cannot create more logs in any way, and can still use the existing ones", async () => {
  const scopes = ["stream:*:read,write", "channel:*:read,write", "session:*:read,write", "live:*:read,write"];
  const visitor = await serverWith({ logsPerDay: 4 }, scopes);
  expect((await send(visitor, "PUT", "/v1/stream/quota", "[]")).status).toBe(201);
  // A stream that exists is not created again.
  for (let n = 0; n < 4; n++) expect((await send(visitor, "PUT", "/v1/stream/quota", "[]")).status).toBe(200);
  const made = await Promise.all([
    send(visitor, "PUT", "/v1/stream/sessions/quota"),
    send(visitor, "PUT", "/v1/live/quota", JSON.stringify({ videoId: "v", title: "t" })),
    send(visitor, "POST", "/v1/channels/quota/messages", JSON.stringify({ handle: "ann", content: "hi" })),
  ]);
  expect(made.map(({ status }) => status)).toEqual([201, 201, 200]);
  const message = JSON.stringify({ handle: "ann", content: "hi" });
  for (const refused of [
    send(visitor, "PUT", "/v1/stream/quota-2"),
    send(visitor, "PUT", "/v1/stream/channels/quota-2"),
    send(visitor, "PUT", "/v1/stream/sessions/quota-2"),
    send(visitor, "PUT", "/v1/live/quota-2", JSON.stringify({ videoId: "v", title: "t" })),
    send(visitor, "POST", "/v1/channels/quota-2/messages", message),
  ]) {
    expect(await refusal(refused)).toEqual([429, "rate_limited"]);
  }
  await expect(joining(visitor, "quota-2", "ann")).rejects.toMatchObject({ code: "rate_limited" });
  expect((await send(visitor, "PUT", "/v1/stream/quota", "[]")).status).toBe(200);
  expect(
    (await send(visitor, "PUT", "/v1/live/quota", JSON.stringify({ videoId: "v", title: "t" }))).status,
  ).toBe(200);
  expect((await send(visitor, "POST", "/v1/channels/quota/messages", message)).status).toBe(200);
  await (await joining(visitor, "quota", "bob")).close();
});

test("logs_per_day: each new handle counts too, and a visitor over the limit enters the channel without a session", async () => {
  const visitor = await serverWith({ logsPerDay: 3 }, ["channel:*:read,write"]);
  const degradedOf = async (handle: string): Promise<string | undefined> => {
    const client = await joining(visitor, "handles", handle);
    const { degraded } = client;
    await client.close();
    return degraded;
  };
  // The channel's own log counts as the first one.
  for (const handle of ["ann", "bob"]) expect(await degradedOf(handle)).toBe(undefined);
  for (const handle of ["eve", "mallory"]) expect(await degradedOf(handle)).toMatch(/^rate_limited: /u);
  expect(await degradedOf("ann")).toBe(undefined);
  expect(await store.getSession("participant:handles:eve")).toBe(null);
});

test("a token with many unfinished bodies cannot begin another one", async () => {
  const server = await serverWith({ requestBytes: 67_108_864 }, ["stream:open:read,write"]);
  await send(server, "PUT", "/v1/stream/open", "[]");
  const held = httpRequest(`${server.url}/v1/stream/open`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-length": 60_000_000 },
  }).on("error", () => undefined);
  held.flushHeaders();
  const more = (): Promise<number> =>
    send(server, "POST", "/v1/stream/open", " ".repeat(8_000_000)).then(({ status }) => status);
  await expect.poll(more).toBe(429);
  held.destroy();
  await expect.poll(more).toBe(400);
});

test("the server refuses JSON with too many values, levels or elements before it parses it", async () => {
  const server = await serverWith({});
  const { token } = server;
  await send(server, "PUT", "/v1/stream/shape", "[]");
  await send(server, "PUT", "/v1/stream/channels/shape");
  await send(server, "PUT", "/v1/live/shape", JSON.stringify({ videoId: "v", title: "t" }));
  const ones = `[${"1,".repeat(60_000)}1]`;
  const bodies = {
    values: `{"a":${ones}}`,
    depth: `${"[".repeat(2_000)}${"]".repeat(2_000)}`,
    elements: ones,
  };
  const parse = vi.spyOn(JSON, "parse");
  for (const [what, body] of Object.entries(bodies)) {
    for (const path of ["/v1/stream/shape", "/v1/stream/channels/shape", "/v1/live/shape/evidence"]) {
      const answer = await send(server, "POST", path, body);
      expect([path, what, answer.status]).toEqual([path, what, 413]);
    }
  }
  expect(parse.mock.calls.filter(([text]) => text.length > 3_000)).toEqual([]);
  parse.mockRestore();
  const ann = await connect({
    serverUrl: server.url,
    token,
    channel: "shape",
    handle: "ann",
    reconnect: false,
  });
  await expect(ann.call("bob", "x", Array(60_000).fill(1)).result).rejects.toMatchObject({
    code: "too_large",
  });
  await ann.send("still here");
  await ann.close();
});

test("the server has every limit of continuo.yaml, and docs/server.md has each one with its default", () => {
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
