/** The server inside of a program: channels, streams and continuous sessions below a path of the program's own. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, watch } from "@continuo/core/client";
import { openLive } from "@continuo/core/client/live";
import { toNodeListener } from "@continuo/server";
import { type Authorization, type Continuo, type FetchHandler, openContinuo } from "@continuo/server/runtime";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";
import { said } from "../live/live-session.ts";

const PEOPLE: Readonly<Record<string, Authorization>> = {
  "Bearer ann": {
    sessions: ["ann-*"],
    channels: ["team"],
    streams: ["orders/*"],
    live: ["ann/*"],
    access: "write",
    by: "ann",
  },
  "Bearer reader": { channels: ["team"], access: "read", by: "reader" },
};

let c: Continuo;
let http: Server;
let serverUrl: string;
let asked: Request[];

beforeEach(async () => {
  asked = [];
  c = await openContinuo("memory:", { agents: [new EchoAgent()], pollMs: 20 });
  const handler: FetchHandler = c.handler({
    authorize: (request) => {
      asked.push(request);
      return PEOPLE[request.headers.get("authorization") ?? ""] ?? null;
    },
  });
  http = createServer(toNodeListener(handler)).on("upgrade", handler.upgrade);
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  serverUrl = `http://127.0.0.1:${(http.address() as AddressInfo).port}/api/v1/shop`;
});
afterEach(async () => {
  await c.close({ graceMs: 0 });
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
});

function as(person: string, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${serverUrl}/v1${path}`, { ...init, headers: { authorization: `Bearer ${person}` } });
}

test("people talk in a channel over WebSockets and HTTP, each as the program lets them", async () => {
  await using ann = await connect({ serverUrl, channel: "team", handle: "ann", token: "ann" });
  await ann.send("Is somebody there?");
  expect(asked.at(-1)?.url).toBe(`${serverUrl}/v1/channels/team/ws`);
  const messages = (await (await as("reader", "/channels/team/messages")).json()) as unknown;
  expect(JSON.stringify(messages)).toContain("Is somebody there?");
  const said = { method: "POST", body: JSON.stringify({ content: "yes" }) };
  expect((await as("reader", "/channels/team/messages", said)).status).toBe(403);
  await expect(connect({ serverUrl, channel: "team", handle: "bob", token: "ann" })).rejects.toMatchObject({
    code: "forbidden",
  });
  await expect(connect({ serverUrl, channel: "other", handle: "ann", token: "ann" })).rejects.toMatchObject({
    code: "forbidden",
  });
  await expect(watch({ serverUrl, channel: "team", token: "nobody" })).rejects.toMatchObject({
    code: "unauthorized",
  });
});

test("a stream of one's own is written and followed, and one of somebody else is refused", async () => {
  const headers = { authorization: "Bearer ann", "content-type": "application/json" };
  const stream = `${serverUrl}/v1/stream/orders/7`;
  expect((await fetch(stream, { method: "PUT", headers })).status).toBe(201);
  expect((await fetch(stream, { method: "POST", headers, body: '{"total":3}' })).status).toBe(204);
  expect(await (await as("ann", "/stream/orders/7?offset=-1")).json()).toEqual([{ total: 3 }]);
  expect((await as("ann", "/stream/bills/7?offset=-1")).status).toBe(403);
  expect((await as("reader", "/stream/orders/7?offset=-1")).status).toBe(403);
  expect((await as("ann", "/stream/sessions/bob-1?offset=-1")).status).toBe(403);
});

test("a continuous session takes evidence and shows its notes to those who may see it", async () => {
  const frames: string[] = [];
  const client = await openLive({
    serverUrl,
    key: "ann/1",
    videoId: "v",
    title: "T",
    token: "ann",
    onFrame: ({ type }) => frames.push(type),
  });
  expect(await client.add(said("The bridge is closed.", 2_000))).toMatchObject({ depth: 1 });
  expect((await as("ann", "/live/ann%2F1")).status).toBe(200);
  expect((await as("reader", "/live/ann%2F1")).status).toBe(403);
  await expect.poll(() => frames).toContain("event");
  await client.close();
  expect((await as("ann", "/live/bob%2F1")).status).toBe(403);
});

test("what the program does not mount is not there: pages, numbers, the machine", async () => {
  for (const path of ["/healthz", "/metrics", "/mcp", "/v1/machine/sessions", "/v1/audit", "/v1/pages"]) {
    expect([path, (await fetch(`${serverUrl}${path}`)).status]).toEqual([path, 404]);
  }
  expect(asked).toEqual([]);
});

test("a page of another site is refused, and one that the program names is answered", async () => {
  const origin = "https://shop.example";
  const headers = { authorization: "Bearer ann", origin };
  const refused = await fetch(`${serverUrl}/v1/channels`, { headers });
  expect([refused.status, await refused.json()]).toMatchObject([
    403,
    {
      error: {
        code: "forbidden",
        hint: 'Add "https://shop.example" to the option `origins` of `c.handler`.',
      },
    },
  ]);
  const open = c.handler({ authorize: () => PEOPLE["Bearer ann"] ?? null, origins: [origin] });
  const answer = await open(new Request(`${serverUrl}/v1/channels`, { headers }));
  expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, origin]);
});

test("the open streams and WebSockets of a handler end when the program closes", async () => {
  await c.session("ann-1", { create: true }).send("hello", { id: "1" }).result();
  const events = await as("ann", "/sessions/ann-1/events");
  await using client = await connect({ serverUrl, channel: "team", handle: "ann", token: "ann" });
  const closing = c.close({ graceMs: 0 });
  expect(await events.text()).toContain('"type":"run_completed"');
  await closing;
  expect(client.roster().length).toBe(1);
});

test("a session that is not there is not found, and is not waited for", async () => {
  expect((await as("ann", "/sessions/ann-9/events")).status).toBe(404);
  expect((await as("ann", "/sessions/bob-1/events")).status).toBe(404);
  expect((await as("ann", "/sessions/ann-%2F1")).status).toBe(400);
});
