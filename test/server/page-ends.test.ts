/**
 * The lifetime of pages that nobody uses, and the number that a token may have: docs/server.md has the same
 * values.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { IssuedToken, Store } from "@continuo/core/model";
import { createAuthenticate, type ServerHandle } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { openPage } from "./harness/open-page.ts";
import { openServer } from "./harness/open-server.ts";

const HOUR_MS = 3_600_000;
const TEAM = "/v1/stream/channels/team";

let store: Store;
let token: IssuedToken;
let server: ServerHandle;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  store = await openStore("memory:", { now: () => Date.now() });
  await store.createLog({ logId: "channels/team" });
  token = await store.createToken({ scopes: ["channel:team:read"] });
  server = await open();
});
afterEach(async () => {
  await server.close();
  await store.close();
  vi.useRealTimers();
});

function open(): Promise<ServerHandle> {
  return openServer(store, { authenticate: createAuthenticate(store) });
}

function later(hours: number): void {
  vi.advanceTimersByTime(hours * HOUR_MS);
}

async function statusOf(secret: string, at: ServerHandle = server): Promise<number> {
  return (await fetch(`${at.url}${TEAM}`, { headers: { authorization: `Bearer ${secret}` } })).status;
}

test("a page that was not used for more than two hours ends, even if a request comes later", async () => {
  const { secret } = await openPage(server.url, token.secret);
  later(1.9);
  expect(await statusOf(secret)).toBe(200);
  later(2.1);
  expect([await statusOf(secret), await statusOf(secret)]).toEqual([401, 401]);
  later(0.1);
  expect(await statusOf(secret)).toBe(401);
  // The token that opened it is not a page.
  expect(await statusOf(token.secret)).toBe(200);
});

test("a page that is in use ends after twelve hours", async () => {
  const { secret } = await openPage(server.url, token.secret);
  for (let hours = 1.5; hours < 12; hours += 1.5) {
    later(1.5);
    expect([hours, await statusOf(secret)]).toEqual([hours, 200]);
  }
  later(1.5);
  expect(await statusOf(secret)).toBe(401);
});

test("an open stream is a use of its page", async () => {
  const { secret } = await openPage(server.url, token.secret);
  const gone = new AbortController();
  const stream = await fetch(`${server.url}${TEAM}?offset=-1&live=sse`, {
    headers: { authorization: `Bearer ${secret}` },
    signal: gone.signal,
  });
  expect(stream.status).toBe(200);
  later(5);
  expect(await statusOf(secret)).toBe(200);
  gone.abort();
  await stream.text().catch(() => undefined);
  const { secret: metrics } = await store.createToken({ scopes: ["metrics"] });
  const numbers = async (): Promise<string> =>
    await (await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${metrics}` } })).text();
  await expect.poll(numbers).toContain("connections_open 0");
  later(2.1);
  expect(await statusOf(secret)).toBe(401);
});

test("all servers of a store know when a page was last used, also after a restart", async () => {
  const { secret } = await openPage(server.url, token.secret);
  later(1.5);
  expect(await statusOf(secret)).toBe(200);
  later(1);
  const second = await open();
  expect(await statusOf(secret, second)).toBe(200);
  later(1.5);
  expect(await statusOf(secret)).toBe(200);
  later(2.1);
  const third = await open();
  expect(await statusOf(secret, third)).toBe(401);
  await Promise.all([second.close(), third.close()]);
});

test("a jump of the system time ends no page, neither on the page's server nor on another one", async () => {
  const folder = scratchFolder("page-ends");
  await using file = await openStore(`sqlite:${join(folder, "continuo.db")}`);
  await file.createLog({ logId: "channels/team" });
  const opener = await file.createToken({ scopes: ["channel:team:read"] });
  const servers = await Promise.all(
    [1, 2].map(() => openServer(file, { authenticate: createAuthenticate(file) })),
  );
  const [first, second] = servers as [ServerHandle, ServerHandle];
  const { secret } = await openPage(first.url, opener.secret);
  for (const hours of [3, -5, 4]) {
    vi.setSystemTime(Date.now() + hours * HOUR_MS);
    expect([hours, await statusOf(secret, first), await statusOf(secret, second)]).toEqual([hours, 200, 200]);
    const third = await openServer(file, { authenticate: createAuthenticate(file) });
    expect([hours, await statusOf(secret, third)]).toEqual([hours, 200]);
    await third.close();
  }
  await Promise.all(servers.map((one) => one.close()));
});

test("for a page of an earlier version, the time of its last use is that of its claim, by the system time", async () => {
  const { secret } = await openPage(server.url, token.secret);
  const { items } = await store.listLeases({ prefix: "server/page-uses/" });
  for (const lease of items) await store.releaseLease(lease);
  await store.removeLeases({ state: "released", endedForMs: 0 });
  later(1.5);
  const second = await open();
  expect(await statusOf(secret, second)).toBe(200);
  await second.close();
});

test("if a token has more than a hundred pages, the page whose last use is longest ago ends", async () => {
  const secrets: string[] = [];
  for (let n = 0; n < 100; n++) {
    secrets.push((await openPage(server.url, token.secret)).secret);
    vi.advanceTimersByTime(1_000);
  }
  const other = await store.createToken({ scopes: ["channel:team:read"] });
  const foreign = (await openPage(server.url, other.secret)).secret;
  // It is used, at a later time than the one that the server stored when it was opened.
  later(0.5);
  expect(await statusOf(secrets[0] ?? "")).toBe(200);
  const newest = (await openPage(server.url, token.secret)).secret;
  vi.advanceTimersByTime(2_000);
  expect(await statusOf(secrets[1] ?? "")).toBe(401);
  for (const secret of [secrets[0], secrets[2], secrets[99], newest, foreign]) {
    expect(await statusOf(secret ?? "")).toBe(200);
  }
});

test("a page that signs out makes room for another one", async () => {
  const { secret } = await openPage(server.url, token.secret);
  const uses = async (): Promise<number> =>
    (await store.listClaims({ prefix: "server/page-uses/" })).items.length;
  const before = await uses();
  await fetch(`${server.url}/v1/pages/cookie`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${secret}` },
  });
  expect([before, await uses()]).toEqual([1, 0]);
});

test("the documentation has these times and numbers, each with its reason", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/server.md"), "utf8");
  const [, section = ""] = page.split("### How long pages live\n");
  const [table = ""] = section.split("\n#", 1);
  const [, ...rows] = table.matchAll(/^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gmu);
  expect(rows.map(([, what, limit]) => [what, limit])).toEqual([
    ["a code", "30 s, once"],
    ["a page", "12 hours"],
    ["a page that nothing uses", "2 hours"],
    ["pages of one token", "100"],
    ["a page of a server that is only for its machine", "until the server ends"],
  ]);
});
