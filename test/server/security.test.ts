/** Each rule of the server, attacked over a real socket. */

import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import type { IssuedToken, NewToken, Store } from "@continuo/core/model";
import type { WireError } from "@continuo/core/wire";
import { createAuthenticate, type ServerHandle, trustedProxies } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openServer } from "./harness/open-server.ts";

const LIMITS = { requestsPerSecond: 2_000, connections: 2, channels: 2, requestBytes: 10_000 };
const ORIGIN = "https://app.example";

let store: Store;
let server: ServerHandle;
let host: string;
const reported: string[] = [];
beforeAll(async () => {
  store = await openStore("memory:");
  server = await openServer(store, {
    authenticate: createAuthenticate(store),
    limits: LIMITS,
    origins: [ORIGIN],
    hosts: ["127.0.0.1", "localhost"],
    longPollMs: 5_000,
    report: (line) => reported.push(line),
  });
  host = new URL(server.url).host;
});
afterAll(async () => {
  await server.close();
  await store.close();
  expect(reported).toEqual([]);
});

function tokenOf(
  scopes: readonly string[],
  more: Partial<NewToken> = {},
  of: Store = store,
): Promise<IssuedToken> {
  return of.createToken({ scopes, ...more });
}

interface Sent {
  readonly method?: string;
  readonly token?: string | undefined;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

function call(path: string, { method = "GET", token, headers = {}, body }: Sent = {}): Promise<Response> {
  return fetch(`${server.url}${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
}

async function refusal(response: Response): Promise<readonly [number, string]> {
  return [response.status, ((await response.json()) as WireError).error.code];
}

/** Sends raw bytes that `fetch` would not send. */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(host.split(":")[1]), "127.0.0.1", () => socket.write(text));
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
      if (answer.includes("\r\n\r\n")) socket.end();
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
}

test("a request without a token, with a wrong one or with a revoked one sees nothing", async () => {
  const { secret, tokenId } = await tokenOf(["admin"]);
  expect((await call("/v1/stream/a", { method: "PUT", token: secret })).status).toBe(201);
  expect(await refusal(await call("/v1/stream/a"))).toEqual([401, "unauthorized"]);
  expect(await refusal(await call("/v1/nothing"))).toEqual([401, "unauthorized"]);
  expect(await refusal(await call("/v1/stream/a", { token: `${secret}x` }))).toEqual([401, "unauthorized"]);
  expect(await refusal(await call("/v1/stream/a", { token: "x".repeat(10_000) }))).toEqual([
    401,
    "unauthorized",
  ]);
  const basic = { authorization: `Basic ${btoa(`x:${secret}`)}` };
  expect(await refusal(await call("/v1/stream/a", { headers: basic }))).toEqual([401, "unauthorized"]);
  await store.revokeToken(tokenId);
  await expect.poll(async () => (await call("/v1/stream/a", { token: secret })).status).toBe(401);
});

test("the server refuses a token from the moment at which it expires, even while it remembers the token", async () => {
  const statusWith = async (token: string): Promise<number> =>
    (await call("/v1/stream/none", { token })).status;
  // If the machine stopped for longer than the token lives, the test repeats with a token that lives longer.
  for (let livesMs = 4_000; ; livesMs *= 4) {
    const { secret } = await tokenOf(["admin"], { expiresAt: new Date(Date.now() + livesMs).toISOString() });
    if ((await statusWith(secret)) !== 404) continue;
    await expect.poll(() => statusWith(secret), { timeout: 20 * livesMs }).toBe(401);
    return;
  }
});

test("a client that guesses tokens is slowed down, and a client with a token is not", async () => {
  const other = await openServer(store, { authenticate: createAuthenticate(store) });
  const { secret } = await tokenOf(["admin"]);
  const get = (token: string): Promise<Response> =>
    fetch(`${other.url}/v1/stream/none`, { headers: { authorization: `Bearer ${token}` } });
  expect((await get(secret)).status).toBe(404);
  const statuses = await Promise.all(
    Array.from({ length: 60 }, async (_, i) => (await get(`continuo_${i}_guess`)).status),
  );
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
  // Somebody else behind the same proxy guessed.
  const { secret: fresh } = await tokenOf(["admin"]);
  expect((await get(fresh)).status).toBe(404);
  await other.close();
});

test("no token reads, lists or changes what lies in another workspace", async () => {
  const mine = await tokenOf(["admin"]);
  const theirs = store.forWorkspace("theirs");
  const { secret } = await tokenOf(["admin"], {}, theirs);
  await call("/v1/stream/channels/secret", { method: "PUT", token: secret });
  const body = JSON.stringify({ type: "message_sent", data: { content: "theirs" } });
  await call("/v1/stream/channels/secret", { method: "POST", token: secret, body });
  for (const method of ["GET", "HEAD", "DELETE"]) {
    expect((await call("/v1/stream/channels/secret", { method, token: mine.secret })).status).toBe(404);
  }
  expect(
    (await call("/v1/stream/channels/secret", { method: "POST", token: mine.secret, body })).status,
  ).toBe(404);
  const forked = { "stream-forked-from": "/v1/stream/channels/secret" };
  expect(
    (await call("/v1/stream/channels/fork", { method: "PUT", token: mine.secret, headers: forked })).status,
  ).toBe(404);
  expect((await theirs.read("channels/secret")).events).toHaveLength(1);
});

test("a scope gives only its own access, to its own name", async () => {
  const admin = await tokenOf(["admin"]);
  const reader = await tokenOf(["channel:team:read"], { handle: "ada" });
  for (const name of ["team", "team2"])
    await call(`/v1/stream/channels/${name}`, { method: "PUT", token: admin.secret });
  const { secret: token } = reader;
  expect((await call("/v1/stream/channels/team", { token })).status).toBe(200);
  const body = JSON.stringify({ type: "message_sent", data: { content: "x" } });
  const denied: readonly (readonly [string, Sent])[] = [
    ["/v1/stream/channels/team", { method: "POST", token, body }],
    ["/v1/stream/channels/team", { method: "PUT", token }],
    ["/v1/stream/channels/team", { method: "DELETE", token }],
    ["/v1/stream/channels/team2", { token }],
    ["/v1/stream/channels/TEAM", { token }],
    ["/v1/stream/sessions/team", { token }],
    ["/v1/stream/team", { token }],
    ["/v1/stream/channels/x/../team2", { token }],
    ["/v1/stream/channels/%74eam2", { token }],
    [
      "/v1/stream/channels/team",
      { method: "PUT", token, headers: { "stream-forked-from": "/v1/stream/channels/team2" } },
    ],
    ["/v1/blobs", { method: "POST", token, body: "x" }],
    ["/v1/stream/__ds/subscriptions/s", { token }],
    ["/v1/stream/__ds/subscriptions/s/claim", { method: "POST", token, body: "{}" }],
  ];
  for (const [path, sent] of denied) {
    expect([path, ...(await refusal(await call(path, sent)))]).toEqual([path, 403, "forbidden"]);
  }
});

test("a fork gives no access beyond the scope of its source", async () => {
  const admin = await tokenOf(["admin"]);
  await call("/v1/stream/channels/hidden", { method: "PUT", token: admin.secret });
  const { secret: token } = await tokenOf(["channel:own:read,write"]);
  const headers = { "stream-forked-from": "/v1/stream/channels/hidden" };
  expect(await refusal(await call("/v1/stream/channels/own", { method: "PUT", token, headers }))).toEqual([
    403,
    "forbidden",
  ]);
});

test("the actor of a posted event is the token's handle, whatever the body says", async () => {
  const { secret: token } = await tokenOf(["channel:actors:read,write"], { handle: "ada" });
  await call("/v1/stream/channels/actors", { method: "PUT", token });
  const event = { type: "message_sent", data: { content: "x" } };
  const forged = JSON.stringify({ ...event, actor: { kind: "person", id: "eve" } });
  expect((await call("/v1/stream/channels/actors", { method: "POST", token, body: forged })).status).toBe(
    400,
  );
  await call("/v1/stream/channels/actors", { method: "POST", token, body: JSON.stringify(event) });
  const [stored] = (await store.read("channels/actors")).events;
  expect(stored?.actor).toEqual({ kind: "person", id: "ada" });
});

test("a token in a URL is refused, also for a WebSocket", async () => {
  const { secret } = await tokenOf(["admin"]);
  const escaped = (text: string): string =>
    [...text].map((sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, "0")}`).join("");
  for (const query of [
    "token=x",
    "access_token=x",
    "Token=x",
    "?authorization=x",
    "%74oken=x",
    "%2574oken=x",
    `other=${secret}`,
    `${secret}=1`,
    `other=Bearer%20${secret}`,
    `other=${escaped(secret)}`,
    `other=${escaped(escaped(secret))}`,
    `other=${secret.toUpperCase()}`,
  ]) {
    const answer = await refusal(await call(`/v1/stream/a?offset=-1&${query}`));
    expect([query, ...answer]).toEqual([query, 401, "unauthorized"]);
  }
  for (const path of [`/v1/stream/${secret}`, `/v1/channels/x${escaped(secret)}/messages`, `/${secret}`]) {
    expect([path, ...(await refusal(await call(path)))]).toEqual([path, 401, "unauthorized"]);
  }
  // Names and values that only look similar are not tokens.
  const { secret: token } = await tokenOf(["admin"]);
  expect((await call("/v1/stream/none?tokens=1&mytoken=2&x=continuo_token", { token })).status).toBe(404);
  const answer = await raw(
    `GET /v1/channels/team/ws?token=${secret} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
  );
  expect(answer).toMatch(/^HTTP\/1\.1 401 /);
});

test("a page of another origin gets nothing, and cannot read the refusal", async () => {
  const { secret: token } = await tokenOf(["admin"]);
  for (const origin of [
    "https://evil.example",
    "https://app.example.evil.example",
    "http://app.example",
    "null",
  ]) {
    const response = await call("/v1/stream/a", { token, headers: { origin } });
    expect(response.headers.get("access-control-allow-origin")).toBe(null);
    expect(await refusal(response)).toEqual([403, "forbidden"]);
    const preflight = await call("/v1/stream/a", { method: "OPTIONS", headers: { origin } });
    expect(preflight.headers.get("access-control-allow-origin")).toBe(null);
  }
  const allowed = await call("/v1/stream/none", { token, headers: { origin: ORIGIN } });
  expect([allowed.status, allowed.headers.get("access-control-allow-origin")]).toEqual([404, ORIGIN]);
  const upgrade = await raw(
    `GET /v1/channels/team/ws HTTP/1.1\r\nHost: ${host}\r\nOrigin: https://evil.example\r\nConnection: Upgrade\r\n` +
      "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
  );
  expect(upgrade).toMatch(/^HTTP\/1\.1 403 /);
});

test("pages of other origins may embed the answer of /healthz, and no other one", async () => {
  const policyOf = async (path: string): Promise<string | null> =>
    (await call(path)).headers.get("cross-origin-resource-policy");
  expect(await policyOf("/healthz")).toBe("cross-origin");
  expect(await policyOf("/healthz?at=1")).toBe("cross-origin");
  expect(await policyOf("/readyz?at=/healthz")).toBe("same-origin");
  expect(await policyOf("/v1/stream/healthz")).toBe("same-origin");
});

test("a foreign host name that points to loopback does not reach the server", async () => {
  const answer = await raw("GET /v1/stream/a HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
  expect(answer).toMatch(/^HTTP\/1\.1 403 /);
});

test("a body that is too large is refused before it is read, with or without a Content-Length", async () => {
  const { secret: token } = await tokenOf(["admin"]);
  await call("/v1/stream/large", { method: "PUT", token, body: "[]" });
  const body = new Uint8Array(LIMITS.requestBytes + 1).fill(0x31);
  expect(await refusal(await call("/v1/stream/large", { method: "POST", token, body }))).toEqual([
    413,
    "too_large",
  ]);
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const outgoing = httpRequest(
      `${server.url}/v1/stream/large`,
      { method: "POST", headers: { authorization: `Bearer ${token}`, "content-type": "application/json" } },
      (answer) => {
        resolve(answer.statusCode);
        outgoing.destroy();
      },
    );
    // After its answer, the server accepts no further bytes.
    outgoing.on("error", reject);
    for (let i = 0; i < 4; i++) outgoing.write(body.subarray(0, LIMITS.requestBytes / 2));
  });
  expect(status).toBe(413);
  expect((await store.getLog("streams/large"))?.latestSequence).toBe(0);
});

test("a flood of requests reaches the limit of its token, and not that of another token", async () => {
  const limits = { requestsPerSecond: 1 };
  const other = await openServer(store, { authenticate: createAuthenticate(store), limits });
  const get = ({ secret }: IssuedToken): Promise<Response> =>
    fetch(`${other.url}/v1/stream/none`, { headers: { authorization: `Bearer ${secret}` } });
  const token = await tokenOf(["admin"]);
  // The limits allow one request per second and two more at once, so 60 requests exceed them on any machine.
  const answers: Response[] = [];
  for (let tries = 0; tries < 20 && answers.every(({ status }) => status !== 429); tries++) {
    answers.push(...(await Promise.all(Array.from({ length: 60 }, () => get(token)))));
  }
  const limited = answers.filter(({ status }) => status === 429);
  expect(limited.length).toBeGreaterThan(0);
  expect(limited.every(({ headers }) => Number(headers.get("retry-after")) >= 1)).toBe(true);
  expect((await get(await tokenOf(["admin"]))).status).toBe(404);
  await other.close();
});

test("more open streams than a token may have are refused, and a closed one makes room", async () => {
  const { secret: token } = await tokenOf(["admin"]);
  await call("/v1/stream/open", { method: "PUT", token });
  const open = async (): Promise<readonly [Response, AbortController]> => {
    const stop = new AbortController();
    const response = await fetch(`${server.url}/v1/stream/open?offset=now&live=sse`, {
      headers: { authorization: `Bearer ${token}` },
      signal: stop.signal,
    });
    return [response, stop];
  };
  const [, first] = await open();
  await open();
  expect(await refusal((await open())[0])).toEqual([429, "rate_limited"]);
  expect((await call("/v1/stream/open?offset=now&live=long-poll", { token })).status).toBe(429);
  first.abort();
  await expect.poll(async () => (await open())[0].status, { interval: 200 }).toBe(200);
});

test("the server waits for a reader that does not read, and holds one page for it", async () => {
  const { secret: token } = await tokenOf(["admin"]);
  const big = new Uint8Array(1_000_000);
  await store.createLog({ logId: "streams/slow", mediaType: "application/octet-stream" });
  for (let i = 0; i < 64; i++) await store.append("streams/slow", [{ type: "bytes", data: big }]);
  let reads = 0;
  const counting = new Proxy(store, {
    get: (target, key) => {
      if (key === "forWorkspace") return () => counting;
      if (key === "read") reads++;
      return Reflect.get(target, key);
    },
  });
  const other = await openServer(counting, { authenticate: createAuthenticate(store) });
  const socket = connect(Number(new URL(other.url).port), "127.0.0.1");
  socket.pause();
  socket.write(
    `GET /v1/stream/slow?offset=-1&live=sse HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  await expect.poll(() => reads).toBeGreaterThan(0);
  await new Promise((resolve) => setTimeout(resolve, 500));
  // The reads fill the buffers of the two sockets and one more page, and never hold the whole log.
  expect(reads).toBeLessThan(30);
  socket.destroy();
  await other.close();
});

test("a blob can be read only through an event that refers to it, in a log that the token may read, and is never run", async () => {
  const writer = await tokenOf(["channel:pictures:read,write"], { handle: "ada" });
  const { secret: token } = writer;
  await call("/v1/stream/channels/pictures", { method: "PUT", token });
  const put = await call("/v1/blobs", {
    method: "POST",
    token,
    body: "<script>1</script>",
    headers: { "content-type": "text/html" },
  });
  const { hash } = (await put.json()) as { readonly hash: string };
  expect((await call(`/v1/blobs/${hash}`, { token })).status).toBe(400);
  const body = JSON.stringify({ type: "message_sent", data: { content: "x" }, blobs: [hash] });
  await call("/v1/stream/channels/pictures", { method: "POST", token, body });
  const path = `/v1/blobs/${hash}?stream=channels/pictures&sequence=1`;
  const got = await call(path, { token });
  expect([got.status, await got.text()]).toEqual([200, "<script>1</script>"]);
  expect(got.headers.get("content-disposition")).toMatch(/^attachment; filename="continuo-\w+\.txt"$/u);
  expect(got.headers.get("content-security-policy")).toContain("sandbox");
  expect(got.headers.get("x-content-type-options")).toBe("nosniff");
  const { secret: stranger } = await tokenOf(["channel:other:read"]);
  expect((await call(path, { token: stranger })).status).toBe(403);
  await store.createLog({ logId: "channels/other" });
  expect((await call(path.replace("pictures", "other"), { token: stranger })).status).toBe(404);
  const other = JSON.stringify({ type: "message_sent", data: { content: "refers to nothing" } });
  await call("/v1/stream/channels/pictures", { method: "POST", token, body: other });
  for (const sequence of [2, 3]) {
    expect((await call(path.replace("sequence=1", `sequence=${sequence}`), { token })).status).toBe(404);
  }
});

test("only tokens that were created on the machine have access to the machine", async () => {
  const authenticate = createAuthenticate(store);
  const peer = { address: "127.0.0.1", isLoopback: true };
  const scopes = ["admin", "machine:read,write"];
  const remote = await tokenOf(scopes, { issuedFrom: "network" });
  const local = await tokenOf(scopes, { issuedFrom: "loopback" });
  const kinds = async ({ secret }: IssuedToken): Promise<readonly string[]> =>
    (await authenticate({ secret, sentAs: "header" }, peer)).scopes.map(({ kind }) => kind);
  expect(await kinds(remote)).toEqual(["admin"]);
  expect(await kinds(local)).toEqual(["admin", "machine"]);
});

test("metrics need a token, also on loopback, because a proxy on this machine has its address", async () => {
  expect(await refusal(await call("/metrics"))).toEqual([401, "unauthorized"]);
  for (const scope of ["admin", "metrics"]) {
    const { secret: token } = await tokenOf([scope]);
    expect((await call("/metrics", { token })).status).toBe(200);
  }
  const { secret: reader } = await tokenOf(["channel:*:read,write", "machine:read"]);
  expect(await refusal(await call("/metrics", { token: reader }))).toEqual([403, "forbidden"]);
  const { secret: scraper } = await tokenOf(["metrics"]);
  for (const path of ["/v1/stream/a", "/v1/channels/team"]) {
    expect(await refusal(await call(path, { token: scraper }))).toEqual([403, "forbidden"]);
  }
});

test("a client behind a trusted proxy that guesses tokens does not slow down the other clients", async () => {
  const other = await openServer(store, {
    authenticate: createAuthenticate(store),
    proxies: trustedProxies(["127.0.0.1"]),
  });
  const guess = async (client: string): Promise<number> => {
    const headers = { "x-forwarded-for": `192.0.2.1, ${client}`, authorization: "Bearer wrong" };
    return (await fetch(`${other.url}/v1/stream/none`, { headers })).status;
  };
  await Promise.all(Array.from({ length: 40 }, () => guess("203.0.113.7")));
  expect([await guess("203.0.113.7"), await guess("203.0.113.8")]).toEqual([429, 401]);
  await other.close();
});

test("wrong codes of pages are slowed down as wrong tokens are, and a valid code is not", async () => {
  const other = await openServer(store, { authenticate: createAuthenticate(store) });
  const exchange = (code: string): Promise<Response> =>
    fetch(`${other.url}/v1/pages/cookie`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: other.url },
      body: JSON.stringify({ code, nonce: "abcdefghijklmnopqrstuvwx" }),
    });
  const statuses = await Promise.all(
    Array.from({ length: 60 }, async (_, n) => (await exchange(`continuo_${n}_guess`)).status),
  );
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
  const { secret } = await tokenOf(["admin"]);
  const issued = await fetch(`${other.url}/v1/pages/code`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}` },
  });
  const { code } = (await issued.json()) as { readonly code: string };
  expect((await exchange(code)).status).toBe(200);
  await other.close();
});

test("the server refuses webhooks to private addresses in every notation", async () => {
  const { secret: token } = await tokenOf(["admin"]);
  await call("/v1/stream/hooked", { method: "PUT", token });
  for (const url of [
    "http://example.com/",
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://localhost/",
    "https://a.localhost/",
    "https://10.1.2.3/",
    "https://169.254.169.254/latest/meta-data",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[fd00::1]/",
    "https://localhost./",
    "https://LOCALHOST.../",
    "https://a.localhost./",
    "https://127.0.0.1./",
    "https://[::127.0.0.1]/",
    "https://[::ffff:0:7f00:1]/",
    "https://[fec0::1]/",
    "https://[fe80::1]/",
    "https://[ff02::1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[100::1]/",
    "https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
    "https://[2001:db8::1]/",
    "https://[2002:7f00:1::1]/",
    "https://[3fff::1]/",
    "https://192.88.99.1/",
    "https://192.0.2.1/",
    "https://0.0.0.0/",
    "https://user:secret@example.com/",
    "ftp://example.com/",
  ]) {
    const body = JSON.stringify({ type: "webhook", pattern: "hooked", webhook: { url } });
    const response = await call("/v1/stream/__ds/subscriptions/private", { method: "PUT", token, body });
    expect([url, response.status, await response.text()]).toEqual([
      url,
      400,
      expect.stringContaining("WEBHOOK_URL_REJECTED"),
    ]);
  }
});
