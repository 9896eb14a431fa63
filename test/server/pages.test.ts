/** Pages of the server in a browser: codes, the secrets of tabs, cookies over TLS, and who may not use them. */

import { createHmac } from "node:crypto";
import type { IssuedToken, Store } from "@continuo/core/model";
import { type PageEntry, parsePageLabel } from "@continuo/core/wire";
import { createAuthenticate, createServer, listen, type ServerHandle } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { codeFor, exchange, newNonce, openPage } from "./harness/open-page.ts";
import { openServer } from "./harness/open-server.ts";

let store: Store;
let server: ServerHandle;
let token: IssuedToken;
const report = vi.fn();
beforeAll(async () => {
  store = await openStore("memory:");
  server = await openServer(store, { authenticate: createAuthenticate(store), report });
  token = await store.createToken({ scopes: ["channel:team:read,write"], handle: "ada" });
  await store.createLog({ logId: "channels/team" });
});
afterAll(async () => {
  await server.close();
  await store.close();
});

const newCode = (): Promise<string> => codeFor(server.url, token.secret);
const bearer = (secret: string): Record<string, string> => ({ authorization: `Bearer ${secret}` });
const read = (secret: string): Promise<Response> =>
  fetch(`${server.url}${TEAM}`, { headers: bearer(secret) });

/** A token is remembered for a second; a busy machine takes longer. */
const SOON = { interval: 50, timeout: 10_000 };

const TEAM = "/v1/stream/channels/team";
const EVENT: string = JSON.stringify({ type: "message_sent", data: { content: "x" } });

test("a code is exchanged once; without TLS it gives a secret and no cookie, which other ports would receive too", async () => {
  const code = await newCode();
  const response = await exchange(server.url, code);
  expect(response.status).toBe(200);
  expect(response.headers.get("set-cookie")).toBeNull();
  expect(response.headers.get("cache-control")).toBe("no-store");
  const { secret } = (await response.json()) as PageEntry;
  expect((await read(secret ?? "")).status).toBe(200);
  expect((await exchange(server.url, code)).status).toBe(401);
});

test("a code ends after 30 seconds, and earlier with its token", async () => {
  const before = Date.now();
  const lifeOf = async (secret: string): Promise<number> => {
    const response = await fetch(`${server.url}/v1/pages/code`, { method: "POST", headers: bearer(secret) });
    expect(response.headers.get("cache-control")).toBe("no-store");
    return Date.parse(((await response.json()) as { readonly expiresAt: string }).expiresAt) - before;
  };
  const life = await lifeOf(token.secret);
  expect(life).toBeGreaterThanOrEqual(30_000);
  expect(life).toBeLessThanOrEqual(30_000 + Date.now() - before);
  const expiresAt = new Date(before + 9_000).toISOString();
  const short = await store.createToken({ scopes: ["channel:team:read"], expiresAt });
  expect(await lifeOf(short.secret)).toBe(9_000);
});

test("a page ends after 12 hours, and earlier with its token", async () => {
  const before = Date.now();
  const life = Date.parse((await openPage(server.url, token.secret)).expiresAt) - before;
  expect(life).toBeGreaterThanOrEqual(43_200_000);
  expect(life).toBeLessThanOrEqual(43_200_000 + Date.now() - before);
  const expiresAt = new Date(before + 60_000).toISOString();
  const short = await store.createToken({ scopes: ["channel:team:read"], expiresAt });
  expect((await openPage(server.url, short.secret)).expiresAt).toBe(expiresAt);
});

test("if many tabs exchange one code at the same moment, only one tab gets a secret", async () => {
  const code = await newCode();
  const statuses = await Promise.all(
    Array.from({ length: 10 }, async () => (await exchange(server.url, code)).status),
  );
  expect(statuses.sort()).toEqual([200, ...Array.from({ length: 9 }, () => 401)]);
});

test("a second tab with the same code signs the first one out, because one of them must have stolen the code", async () => {
  const code = await newCode();
  const { secret } = (await (await exchange(server.url, code)).json()) as PageEntry;
  expect((await exchange(server.url, code)).status).toBe(401);
  expect((await read(secret ?? "")).status).toBe(401);
  expect(report).toHaveBeenCalledWith(expect.stringContaining("two tabs sent the code"));
});

test("a tab that lost the answer sends its code again, and the lost secret opens nothing", async () => {
  const [code, nonce] = [await newCode(), newNonce()];
  const entries = [];
  for (let turn = 0; turn < 2; turn++) {
    entries.push((await (await exchange(server.url, code, { nonce })).json()) as PageEntry);
  }
  const [lost, kept] = entries.map(({ secret }) => secret ?? "");
  expect([(await read(lost ?? "")).status, (await read(kept ?? "")).status]).toEqual([401, 200]);
});

test("a code without the nonce of a tab is not exchanged", async () => {
  const code = await newCode();
  for (const nonce of ["", "short", "x".repeat(65), `${"x".repeat(21)} `]) {
    expect((await exchange(server.url, code, { nonce })).status).toBe(400);
  }
  expect((await exchange(server.url, code)).status).toBe(200);
});

test("a code is no token, a token is no code, and no secret is accepted as a cookie without TLS", async () => {
  expect((await read(await newCode())).status).toBe(401);
  expect((await exchange(server.url, token.secret)).status).toBe(401);
  const { secret } = await openPage(server.url, token.secret);
  const { port } = new URL(server.url);
  for (const name of ["continuo-page", `continuo-page-${port}`, `__Host-continuo-page-${port}`]) {
    for (const value of [secret, token.secret]) {
      const answer = await fetch(`${server.url}${TEAM}`, { headers: { cookie: `${name}=${value}` } });
      expect([name, answer.status]).toEqual([name, 401]);
    }
  }
});

test("neither a page of another origin nor a request without an origin can exchange a code", async () => {
  const code = await newCode();
  const from = (headers: Record<string, string>) => exchange(server.url, code, { headers });
  expect((await from({ origin: "https://evil.example" })).status).toBe(403);
  expect((await from({})).status).toBe(403);
  expect((await from({ origin: server.url })).status).toBe(200);
});

test("a server whose page has a host name accepts pages only there, and a code that is sent to another name is used up", async () => {
  const authenticate = createAuthenticate(store);
  const pageName = "continuo-0123456789.localhost";
  const hosts = ["127.0.0.1", "localhost"];
  const named = await openServer(store, { authenticate, hosts, pageName, report, loopback: "both" });
  const { port } = new URL(named.url);
  for (const name of ["127.0.0.1", "continuo-9876543210.localhost", "localhost"]) {
    const code = await codeFor(named.url, token.secret);
    const refused = await exchange(`http://${name}:${port}`, code);
    expect([name, refused.status, await refused.text()]).toEqual([
      name,
      403,
      expect.stringContaining("has another address"),
    ]);
    expect((await exchange(`http://${pageName}:${port}`, code)).status).toBe(401);
  }
  expect(report).toHaveBeenCalledWith(expect.stringContaining(`refused a code that was sent from http://`));
  const issued = await fetch(`${named.url}/v1/pages/code`, { method: "POST", headers: bearer(token.secret) });
  const { code, host } = (await issued.json()) as { readonly code: string; readonly host: string };
  expect(host).toBe(pageName);
  expect((await exchange(`http://${host}:${port}`, code)).status).toBe(200);
  await named.close();
});

test("a page cannot open another page", async () => {
  const { secret } = await openPage(server.url, token.secret);
  const answer = await fetch(`${server.url}/v1/pages/code`, { method: "POST", headers: bearer(secret) });
  expect(answer.status).toBe(403);
});

test("a page has the rights of its token, and ends when a person signs out", async () => {
  const { secret } = await openPage(server.url, token.secret);
  const other = await fetch(`${server.url}/v1/stream/channels/other`, { headers: bearer(secret) });
  expect(other.status).toBe(403);
  const left = await fetch(`${server.url}/v1/pages/cookie`, {
    method: "DELETE",
    headers: { ...bearer(secret), origin: server.url },
  });
  expect(left.status).toBe(204);
  await expect.poll(async () => (await read(secret)).status, SOON).toBe(401);
});

test("a page ends with its token, within a second, and so does its code", async () => {
  const own = await store.createToken({ scopes: ["channel:team:read"] });
  const { secret } = await openPage(server.url, own.secret);
  const code = await codeFor(server.url, own.secret);
  expect((await read(secret)).status).toBe(200);
  await store.revokeToken(own.tokenId);
  await expect.poll(async () => (await read(secret)).status, SOON).toBe(401);
  expect((await exchange(server.url, code)).status).toBe(401);
});

test("a page and its code name the token that opened it", async () => {
  const own = await store.createToken({ scopes: ["channel:team:read"] });
  const { secret } = await openPage(server.url, own.secret);
  const { label = null } = (await store.authenticate(secret)) ?? {};
  expect(parsePageLabel(label)).toEqual({ kind: "tab", parentId: own.tokenId });
});

test("a page that another version of Continuo admitted is no longer admitted", async () => {
  const old = await store.createToken({ scopes: ["channel:team:read"], label: "continuo:page" });
  expect((await read(old.secret)).status).toBe(401);
});

const PUBLIC = "https://continuo.example";

/** Sends a request as a proxy that terminates TLS does, with the browser's host or with the proxy's own. */
async function behindProxy(host: string, path: string, init: RequestInit = {}): Promise<Response> {
  const proxied = createServer({
    store: (workspaceId) => store.forWorkspace(workspaceId),
    authenticate: createAuthenticate(store),
    hosts: ["127.0.0.1"],
    publicUrl: PUBLIC,
  });
  const headers = new Headers(init.headers);
  headers.set("host", host);
  const request = new Request(`http://${host}${path}`, { ...init, headers });
  try {
    return await proxied.fetch(request, { address: "10.0.0.1", isLoopback: false });
  } finally {
    await proxied.close();
  }
}

test.each([
  ["continuo.example", "__Host-continuo-page"],
  ["127.0.0.1:4747", "__Host-continuo-page-4747"],
])(
  "over TLS, behind a proxy that names the host %s, a page gets a cookie for this host and TLS only",
  async (host, name) => {
    const issued = await behindProxy(host, "/v1/pages/code", {
      method: "POST",
      headers: bearer(token.secret),
    });
    const { code } = (await issued.json()) as { readonly code: string };
    const entered = await behindProxy(host, "/v1/pages/cookie", {
      method: "POST",
      headers: { origin: PUBLIC, "content-type": "application/json" },
      body: JSON.stringify({ code, nonce: newNonce() }),
    });
    expect(await entered.json()).toMatchObject({ secret: null, proofKey: null });
    const [pair = "", ...attributes] = (entered.headers.get("set-cookie") ?? "").split("; ");
    const [sent, secret = ""] = pair.split("=");
    expect([sent, ...attributes]).toEqual([
      name,
      "Path=/",
      expect.stringMatching(/^Max-Age=43(?:200|1\d\d)$/u),
      "HttpOnly",
      "Secure",
      "SameSite=Strict",
    ]);
    const withCookie = (init: RequestInit = {}): Promise<Response> =>
      behindProxy(host, TEAM, { ...init, headers: { ...init.headers, cookie: pair } });
    expect((await withCookie()).status).toBe(200);
    const json = { "content-type": "application/json" };
    const change = (headers: Record<string, string>): Promise<Response> =>
      withCookie({ method: "POST", body: EVENT, headers: { ...json, ...headers } });
    expect((await change({})).status).toBe(403);
    expect((await change({ origin: "https://evil.example" })).status).toBe(403);
    expect((await change({ origin: PUBLIC })).status).toBe(204);
    expect((await store.read("channels/team")).events.at(-1)?.actor).toEqual({ kind: "person", id: "ada" });
    const asHeader = await behindProxy(host, TEAM, { headers: bearer(secret) });
    expect(asHeader.status).toBe(401);
  },
);

test("a page with a cookie loses the cookie when a person signs out", async () => {
  const issued = await behindProxy("continuo.example", "/v1/pages/code", {
    method: "POST",
    headers: bearer(token.secret),
  });
  const { code } = (await issued.json()) as { readonly code: string };
  const headers = { origin: PUBLIC, "content-type": "application/json" };
  const entered = await behindProxy("continuo.example", "/v1/pages/cookie", {
    method: "POST",
    headers,
    body: JSON.stringify({ code, nonce: newNonce() }),
  });
  const cookie = (entered.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
  const left = await behindProxy("continuo.example", "/v1/pages/cookie", {
    method: "DELETE",
    headers: { ...headers, cookie },
  });
  expect(left.headers.get("set-cookie")).toMatch(/^__Host-continuo-page=; Path=\/; Max-Age=0;/u);
});

test("a server on loopback admits no page that an earlier start admitted", async () => {
  const open = async (): Promise<ServerHandle> => {
    const started = createServer({
      store: (workspaceId) => store.forWorkspace(workspaceId),
      authenticate: createAuthenticate(store),
      reach: "machine",
    });
    return await listen(started, { host: "127.0.0.1", port: 0 });
  };
  const first = await open();
  const { secret } = await openPage(first.url, token.secret);
  const statusAt = async ({ url }: ServerHandle, sent: string): Promise<number> =>
    (await fetch(`${url}${TEAM}`, { headers: bearer(sent) })).status;
  expect(await statusAt(first, secret)).toBe(200);
  expect(await statusAt(first, secret.split(".", 1)[0] ?? "")).toBe(401);
  const second = await open();
  expect(await statusAt(second, secret)).toBe(401);
  // Tokens of people outlive the server.
  expect(await statusAt(second, token.secret)).toBe(200);
  await Promise.all([first.close(), second.close()]);
});

test("a server on loopback proves to a page that it admitted the page, and to nobody else", async () => {
  const started = createServer({
    store: (workspaceId) => store.forWorkspace(workspaceId),
    authenticate: createAuthenticate(store),
    reach: "machine",
  });
  const { url, close } = await listen(started, { host: "127.0.0.1", port: 0 });
  const [page, other] = [await openPage(url, token.secret), await openPage(url, token.secret)];
  const nonce = newNonce();
  const proofOf = async (path: string, secret: string, sent = nonce): Promise<string | null> =>
    (await fetch(`${url}${path}`, { headers: { ...bearer(secret), "continuo-nonce": sent } })).headers.get(
      "continuo-proof",
    );
  const expected = createHmac("sha256", page.proofKey ?? "").update(`continuo-proof ${nonce}`);
  const proof = expected.digest("hex");
  expect(await proofOf("/v1/pages/proof", page.secret)).toBe(proof);
  // Errors are answers of the server too.
  expect(await proofOf("/v1/stream/channels/nowhere", page.secret)).toBe(proof);
  expect(await proofOf("/v1/pages/proof", other.secret)).not.toBe(proof);
  expect(await proofOf("/v1/pages/proof", page.secret, newNonce())).not.toBe(proof);
  for (const [secret, sent] of [
    [page.secret, "short"],
    [token.secret, nonce],
    ["", nonce],
  ] as const) {
    expect(await proofOf("/v1/pages/proof", secret, sent)).toBeNull();
  }
  await close();
});

test("a browser stores no answer to a page, whether the answer has a proof or not", async () => {
  const started = createServer({
    store: (workspaceId) => store.forWorkspace(workspaceId),
    authenticate: createAuthenticate(store),
    reach: "machine",
  });
  const { url, close } = await listen(started, { host: "127.0.0.1", port: 0 });
  const { secret } = await openPage(url, token.secret);
  const cachingOf = async (headers: Readonly<Record<string, string>>): Promise<string | null> =>
    (await fetch(`${url}${TEAM}`, { headers: { ...bearer(secret), ...headers } })).headers.get(
      "cache-control",
    );
  expect(await cachingOf({ "continuo-nonce": newNonce() })).toBe("no-store");
  expect(await cachingOf({})).toBe("no-store");
  await close();
});
