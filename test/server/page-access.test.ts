/** What a page may do with channels and continuous sessions: what its token may, or only read, and from its own origin. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import type { Store } from "../../src/model/index.ts";
import { createAuthenticate, type Listening } from "../../src/server/index.ts";
import { openStore } from "../../src/store/index.ts";
import type { ChannelHead, ServerFrame } from "../../src/wire/index.ts";
import { openServer } from "./harness/open-server.ts";

let store: Store;
let tokens: Store;
let server: Listening;
beforeAll(async () => {
  store = await openStore("memory:");
  tokens = await openStore("memory:");
  server = await openServer(store, {
    authenticate: createAuthenticate(tokens),
    tokens: (workspaceId) => tokens.forWorkspace(workspaceId),
  });
  await store.createLog({ logId: "channels/team" });
});
afterAll(async () => {
  await server.close();
  await Promise.all([store.close(), tokens.close()]);
});

/** The cookie of a page that a token with these scopes opened. */
async function cookieOf(scopes: readonly string[], query = ""): Promise<string> {
  const { secret } = await tokens.createToken({ scopes, issuedFrom: "loopback" });
  const issued = await fetch(`${server.url}/v1/pages/code${query}`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}` },
  });
  expect(issued.status).toBe(201);
  const { code } = (await issued.json()) as { readonly code: string };
  const exchanged = await fetch(`${server.url}/v1/pages/cookie`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: server.url },
    body: JSON.stringify({ code }),
  });
  return (exchanged.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
}

/** The answer to a hello: a frame, or the status with which the socket was refused. */
function greeted(
  headers: Readonly<Record<string, string>>,
  hello: object = {},
): Promise<ServerFrame | number> {
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/v1/channels/team/ws`, {
    headers,
    protocol: "continuo.channel.1",
  });
  return new Promise((resolve) => {
    const end = (answer: ServerFrame | number): void => {
      resolve(answer);
      socket.terminate();
    };
    socket.on("error", () => undefined);
    socket.on("unexpected-response", (_request, { statusCode = 0 }) => end(statusCode));
    socket.on("open", () =>
      socket.send(JSON.stringify({ type: "hello", protocol: 1, instance: "x", after: 0, ...hello })),
    );
    socket.on("message", (data) => end(JSON.parse(data.toString())));
  });
}

const READ = "channel:*:read";
const WRITE = "channel:*:read,write";
const refused = (code: string) => expect.objectContaining({ error: expect.objectContaining({ code }) });

test("the cookie of a page opens a WebSocket of the page's own origin, and of no other", async () => {
  const cookie = await cookieOf([READ]);
  expect(await greeted({ cookie, origin: server.url })).toMatchObject({ type: "hello", channel: "team" });
  expect(await greeted({ cookie })).toEqual(refused("unauthorized"));
  expect(await greeted({ cookie, origin: "https://evil.example" })).toBe(403);
  expect(await greeted({ origin: server.url })).toEqual(refused("unauthorized"));
});

test("a token in the hello goes before the cookie", async () => {
  const cookie = await cookieOf([READ]);
  const other = await tokens.createToken({ scopes: ["channel:other:read"] });
  const origin = server.url;
  expect(await greeted({ cookie, origin }, { token: other.secret })).toEqual(refused("forbidden"));
});

const post = (cookie: string, origin = server.url): Promise<Response> =>
  fetch(`${server.url}/v1/channels/team/messages`, {
    method: "POST",
    headers: { cookie, origin, "content-type": "application/json" },
    body: JSON.stringify({ handle: "ada", content: "hello" }),
  });

async function accessOf(cookie: string): Promise<ChannelHead["access"]> {
  const response = await fetch(`${server.url}/v1/channels/team`, { headers: { cookie } });
  return ((await response.json()) as ChannelHead).access;
}

test("a page may do what its token may, and can ask what that is", async () => {
  const cookie = await cookieOf([WRITE]);
  expect(await accessOf(cookie)).toEqual(["read", "write"]);
  expect((await post(cookie)).status).toBe(200);
  expect((await post(cookie, "https://evil.example")).status).toBe(403);
  const hello = { handle: "ada", workspaceId: "default" };
  expect(await greeted({ cookie, origin: server.url }, hello)).toMatchObject({
    type: "hello",
    handle: "ada",
  });
});

test.each([
  ["a token that only reads", [READ], ""],
  ["a code that only reads", [WRITE], "?access=read"],
  [
    "a code that only reads of a token that may do everything",
    ["admin", "machine:read,write"],
    "?access=read",
  ],
])("the page of %s reads and cannot write", async (_name, scopes, query) => {
  const cookie = await cookieOf(scopes, query);
  expect(await accessOf(cookie)).toEqual(["read"]);
  expect((await post(cookie)).status).toBe(403);
  const origin = server.url;
  expect(await greeted({ cookie, origin }, { handle: "eve" })).toEqual(refused("forbidden"));
  expect(await greeted({ cookie, origin })).toMatchObject({ type: "hello", handle: null });
  const appended = await fetch(`${server.url}/v1/stream/channels/team`, {
    method: "POST",
    headers: { cookie, origin, "content-type": "application/json" },
    body: JSON.stringify({ type: "message_sent", data: { content: "x" } }),
  });
  expect(appended.status).toBe(403);
  // Such a page gets no code that may do more.
  const again = await fetch(`${server.url}/v1/pages/code`, { method: "POST", headers: { cookie, origin } });
  const { code } = (await again.json()) as { readonly code: string };
  expect((await tokens.authenticate(code))?.scopes.join(" ")).not.toMatch(/write|admin/u);
});

test("the page of a token for one channel lists that channel and nothing else", async () => {
  await store.createLog({ logId: "channels/secret" });
  const cookie = await cookieOf(["channel:team:read"]);
  const list = await fetch(`${server.url}/v1/channels?summary=true`, { headers: { cookie } });
  const { channels } = (await list.json()) as { readonly channels: readonly { readonly channel: string }[] };
  expect(channels.map(({ channel }) => channel)).toEqual(["team"]);
  expect((await fetch(`${server.url}/v1/live`, { headers: { cookie } })).status).toBe(200);
  expect((await fetch(`${server.url}/v1/machine/sessions`, { headers: { cookie } })).status).not.toBe(200);
});

test("an access that there is not is refused, and makes no code", async () => {
  const { secret } = await tokens.createToken({ scopes: [WRITE] });
  for (const query of ["?access=write", "?access=", "?access=read&access=read"]) {
    const response = await fetch(`${server.url}/v1/pages/code${query}`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}` },
    });
    expect([query, response.status]).toEqual([query, 400]);
  }
});
