/**
 * The access of a page to channels and continuous sessions: the access of its token or only reading, from its own
 * origin.
 */

import type { Store } from "@continuo/core/model";
import type { ChannelHead, ServerFrame } from "@continuo/core/wire";
import { createAuthenticate, type ServerHandle } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { openPage } from "./harness/open-page.ts";
import { openServer } from "./harness/open-server.ts";

let store: Store;
let tokens: Store;
let server: ServerHandle;
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

/** The secret of a page that a token with these scopes opened. */
async function pageOf(scopes: readonly string[], query = ""): Promise<string> {
  const { secret } = await tokens.createToken({ scopes, anyHandle: true, issuedFrom: "loopback" });
  return (await openPage(server.url, secret, query)).secret;
}

/** The answer to a hello: a frame, or the status with which the socket was refused. */
function greeted(
  { origin, protocols = [] }: { readonly origin?: string; readonly protocols?: readonly string[] },
  hello: object = {},
): Promise<ServerFrame | number> {
  const url = `${server.url.replace("http", "ws")}/v1/channels/team/ws`;
  const headers: Record<string, string> = origin === undefined ? {} : { origin };
  const socket = new WebSocket(url, ["continuo.channel.1", ...protocols], { headers });
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

test("the secret of a page opens a WebSocket in its first frame or as a subprotocol, of the page's own origin", async () => {
  const secret = await pageOf([READ]);
  const origin = server.url;
  expect(await greeted({ origin }, { token: secret })).toMatchObject({ type: "hello", channel: "team" });
  expect(await greeted({ origin, protocols: [`bearer.${secret}`] })).toMatchObject({ type: "hello" });
  expect(await greeted({ origin: "https://evil.example" }, { token: secret })).toBe(403);
  expect(await greeted({ origin })).toEqual(refused("unauthorized"));
});

const bearer = (secret: string): Record<string, string> => ({ authorization: `Bearer ${secret}` });

const post = (secret: string, origin = server.url): Promise<Response> =>
  fetch(`${server.url}/v1/channels/team/messages`, {
    method: "POST",
    headers: { ...bearer(secret), origin, "content-type": "application/json" },
    body: JSON.stringify({ handle: "ada", content: "hello" }),
  });

async function accessOf(secret: string): Promise<ChannelHead["access"]> {
  const response = await fetch(`${server.url}/v1/channels/team`, { headers: bearer(secret) });
  return ((await response.json()) as ChannelHead).access;
}

test("a page has the rights of its token, and can ask which rights these are", async () => {
  const secret = await pageOf([WRITE]);
  expect(await accessOf(secret)).toEqual(["read", "write"]);
  expect((await post(secret)).status).toBe(200);
  expect((await post(secret, "https://evil.example")).status).toBe(403);
  const hello = { handle: "ada", workspaceId: "default", token: secret };
  expect(await greeted({ origin: server.url }, hello)).toMatchObject({ type: "hello", handle: "ada" });
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
  const secret = await pageOf(scopes, query);
  expect(await accessOf(secret)).toEqual(["read"]);
  expect((await post(secret)).status).toBe(403);
  const origin = server.url;
  expect(await greeted({ origin }, { handle: "eve", token: secret })).toEqual(refused("forbidden"));
  expect(await greeted({ origin }, { token: secret })).toMatchObject({ type: "hello", handle: null });
  const appended = await fetch(`${server.url}/v1/stream/channels/team`, {
    method: "POST",
    headers: { ...bearer(secret), origin, "content-type": "application/json" },
    body: JSON.stringify({ type: "message_sent", data: { content: "x" } }),
  });
  expect(appended.status).toBe(403);
});

test("the page of a token for one channel lists that channel and nothing else", async () => {
  await store.createLog({ logId: "channels/secret" });
  const headers = bearer(await pageOf(["channel:team:read"]));
  const list = await fetch(`${server.url}/v1/channels?summary=true`, { headers });
  const { channels } = (await list.json()) as { readonly channels: readonly { readonly channel: string }[] };
  expect(channels.map(({ channel }) => channel)).toEqual(["team"]);
  expect((await fetch(`${server.url}/v1/live`, { headers })).status).toBe(200);
  expect((await fetch(`${server.url}/v1/machine/sessions`, { headers })).status).not.toBe(200);
});

test("the server refuses an unknown access, and creates no code for it", async () => {
  const { secret } = await tokens.createToken({ scopes: [WRITE] });
  for (const query of ["?access=write", "?access=", "?access=read&access=read"]) {
    const response = await fetch(`${server.url}/v1/pages/code${query}`, {
      method: "POST",
      headers: bearer(secret),
    });
    expect([query, response.status]).toEqual([query, 400]);
  }
});
