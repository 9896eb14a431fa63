/** No cache stores an answer to a page, and no shared cache stores any answer. */

import { randomUUID } from "node:crypto";
import type { Store } from "@continuo/core/model";
import {
  type ContinuoServer,
  createAuthenticate,
  createServer,
  listen,
  type ServerHandle,
} from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPage } from "./harness/open-page.ts";
import { recordingMachine } from "./harness/recording-store.ts";

let store: Store;
let server: ContinuoServer;
let listening: ServerHandle;
let token: string;
let paths: readonly string[];
beforeAll(async () => {
  store = await openStore("memory:");
  server = createServer({
    store: (workspaceId, by) => store.forWorkspace(workspaceId, by),
    authenticate: createAuthenticate(store),
    longPollMs: 10,
    live: { workspaceIds: [], role: "reader" },
    mcp: { fetch: async () => Response.json({}), close: async () => undefined },
    machine: async () => recordingMachine([]),
  });
  listening = await listen(server, { host: "127.0.0.1", port: 0 });
  const scopes = ["admin", "machine:read,write"];
  token = (await store.createToken({ scopes, anyHandle: true, issuedFrom: "loopback" })).secret;
  await store.createLog({ logId: "channels/x" });
  const patterns = server.routes.map(({ path }) => path.replace(/:\w+(?:\{[^}]*\})?|\*/gu, "x"));
  paths = [...new Set([...patterns, "/v1/nothing"])].filter((path) => path !== "/v1/pages/cookie");
});
afterAll(async () => {
  await listening.close();
  await store.close();
});

async function cacheControlOf(
  path: string,
  secret: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const stop = new AbortController();
  const response = await fetch(`${listening.url}${path}`, {
    headers: { authorization: `Bearer ${secret}`, ...more },
    signal: stop.signal,
  });
  stop.abort();
  return response.headers.get("cache-control") ?? "nothing";
}

/** Paths whose answers are the same for everybody. */
const PUBLIC = ["/healthz", "/readyz", "/v1/client.js", "/v1/stream/__ds/jwks.json"];

test("no browser stores an answer to a page, on any route", async () => {
  const { secret } = await openPage(listening.url, token);
  for (const path of paths) {
    if (!PUBLIC.includes(path)) expect(await cacheControlOf(path, secret), path).toBe("no-store");
  }
  for (const query of ["offset=-1", "offset=now&live=sse", "offset=now&live=long-poll"]) {
    expect(await cacheControlOf(`/v1/stream/channels/x?${query}`, secret), query).toBe("no-store");
  }
});

test("no shared cache stores an answer to a token, on any route", async () => {
  for (const path of paths) {
    if (PUBLIC.includes(path)) continue;
    expect(await cacheControlOf(path, token), path).toMatch(/^(?:no-store$|private\b)/u);
  }
  expect(await cacheControlOf("/v1/stream/channels/x?offset=-1", token)).toBe("private, no-cache");
  expect(await cacheControlOf("/v1/stream/channels/x?offset=now&live=sse", token)).toBe("no-cache");
});

test("no cache stores a refusal", async () => {
  for (const path of paths) {
    if (PUBLIC.includes(path)) continue;
    expect(await cacheControlOf(path, `continuo_${randomUUID()}`), path).toBe("no-store");
  }
  expect(await cacheControlOf("/", token, { origin: "https://evil.example" })).toBe("no-store");
});
