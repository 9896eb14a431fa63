/** Pages of the server in a browser: codes, cookies, and who may not use them. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { IssuedToken, Store } from "../../src/model/index.ts";
import { CODE_LABEL } from "../../src/server/auth/labels.ts";
import { createAuthenticate, type Listening } from "../../src/server/index.ts";
import { openStore } from "../../src/store/index.ts";
import { openServer } from "./harness/open-server.ts";

let store: Store;
let server: Listening;
let token: IssuedToken;
beforeAll(async () => {
  store = await openStore("memory:");
  server = await openServer(store, { authenticate: createAuthenticate(store) });
  token = await store.createToken({ scopes: ["channel:team:read,write"], handle: "ada" });
  await store.createLog({ logId: "channels/team" });
});
afterAll(async () => {
  await server.close();
  await store.close();
});

async function issueCode(): Promise<{ readonly code: string; readonly expiresAt: string }> {
  const response = await fetch(`${server.url}/v1/pages/code`, {
    method: "POST",
    headers: { authorization: `Bearer ${token.secret}` },
  });
  expect(response.headers.get("cache-control")).toBe("no-store");
  return (await response.json()) as { readonly code: string; readonly expiresAt: string };
}

async function newCode(): Promise<string> {
  return (await issueCode()).code;
}

function exchange(code: string, headers: Record<string, string> = { origin: server.url }): Promise<Response> {
  return fetch(`${server.url}/v1/pages/cookie`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ code }),
  });
}

async function newCookie(): Promise<string> {
  return ((await exchange(await newCode())).headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
}

const TEAM = "/v1/stream/channels/team";
const EVENT: string = JSON.stringify({ type: "message_sent", data: { content: "x" } });

test("a code is exchanged once for a cookie that no script and no other site has", async () => {
  const code = await newCode();
  const response = await exchange(code);
  expect(response.status).toBe(200);
  const cookie = response.headers.get("set-cookie") ?? "";
  for (const part of ["HttpOnly", "SameSite=Strict", "Path=/"]) expect(cookie).toContain(part);
  const read = await fetch(`${server.url}${TEAM}`, { headers: { cookie: cookie.split(";", 1)[0] ?? "" } });
  expect(read.status).toBe(200);
  expect((await exchange(code)).status).toBe(401);
});

test("a code is a token that ends after 60 seconds", async () => {
  const before = Date.now();
  const expiresAt = Date.parse((await issueCode()).expiresAt);
  expect(expiresAt).toBeGreaterThanOrEqual(before + 60_000);
  expect(expiresAt).toBeLessThanOrEqual(Date.now() + 60_000);
  const soon = new Date(Date.now() + 100).toISOString();
  const ended = await store.createToken({
    scopes: ["channel:team:read"],
    label: CODE_LABEL,
    expiresAt: soon,
  });
  await expect.poll(async () => (await store.getToken(ended.tokenId))?.state).toBe("expired");
  expect((await exchange(ended.secret)).status).toBe(401);
});

test("of many who exchange one code at the same moment, one gets the cookie", async () => {
  const code = await newCode();
  const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await exchange(code)).status));
  expect(statuses.sort()).toEqual([200, ...Array.from({ length: 9 }, () => 401)]);
});

test("a code is no token, a token is no code, and a cookie is no token", async () => {
  const as = (secret: string): Promise<Response> =>
    fetch(`${server.url}${TEAM}`, { headers: { authorization: `Bearer ${secret}` } });
  expect((await as(await newCode())).status).toBe(401);
  expect((await exchange(token.secret)).status).toBe(401);
  const cookie = await newCookie();
  expect((await as(cookie.split("=")[1] ?? "")).status).toBe(401);
  const asCookie = await fetch(`${server.url}${TEAM}`, {
    headers: { cookie: `${cookie.split("=")[0]}=${token.secret}` },
  });
  expect(asCookie.status).toBe(401);
});

test("a browser that opened pages of two servers of one host stays signed in at both", async () => {
  await using otherStore = await openStore("memory:");
  await otherStore.createLog({ logId: "channels/team" });
  const code = await otherStore.createToken({ scopes: ["channel:team:read"], label: CODE_LABEL });
  const other = await openServer(otherStore, { authenticate: createAuthenticate(otherStore) });
  try {
    const answer = await fetch(`${other.url}/v1/pages/cookie`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: other.url },
      body: JSON.stringify({ code: code.secret }),
    });
    // As a browser keeps them: by name, whatever the port was.
    const jar = new Map<string, string>();
    for (const given of [await newCookie(), answer.headers.get("set-cookie") ?? ""]) {
      const [name = "", value = ""] = given.split(";")[0]?.split("=") ?? [];
      jar.set(name, value);
    }
    const cookie = [...jar].map((pair) => pair.join("=")).join("; ");
    for (const { url } of [server, other]) {
      expect((await fetch(`${url}${TEAM}`, { headers: { cookie } })).status).toBe(200);
    }
  } finally {
    await other.close();
  }
});

test("a change by cookie needs the origin of a page that may call", async () => {
  const cookie = await newCookie();
  const post = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${server.url}${TEAM}`, {
      method: "POST",
      headers: { cookie, "content-type": "application/json", ...headers },
      body: EVENT,
    });
  expect((await post({})).status).toBe(403);
  expect((await post({ origin: "https://evil.example" })).status).toBe(403);
  expect((await post({ origin: server.url })).status).toBe(204);
  expect((await store.read("channels/team")).events.map(({ actor }) => actor)).toEqual([
    { kind: "person", id: "ada" },
  ]);
});

test("a code is not exchanged for a page of a foreign origin, nor without one", async () => {
  const code = await newCode();
  expect((await exchange(code, { origin: "https://evil.example" })).status).toBe(403);
  expect((await exchange(code, {})).status).toBe(403);
  expect((await exchange(code)).status).toBe(200);
});

test("a cookie allows what the token allowed that it came from, and ends with it being left", async () => {
  const cookie = await newCookie();
  const other = await fetch(`${server.url}/v1/stream/channels/other`, { headers: { cookie } });
  expect(other.status).toBe(403);
  const left = await fetch(`${server.url}/v1/pages/cookie`, {
    method: "DELETE",
    headers: { cookie, origin: server.url },
  });
  expect(left.status).toBe(204);
  await expect
    .poll(async () => (await fetch(`${server.url}${TEAM}`, { headers: { cookie } })).status)
    .toBe(401);
});
