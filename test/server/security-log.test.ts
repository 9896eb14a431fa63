/** The security log of a server: what it records, what it leaves out, and how many lines a stranger can cause. */

import type { IssuedToken, Store } from "@continuo/core/model";
import { createAuthenticate, type ServerHandle } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createSecurityLog } from "../../packages/server/src/server/security-log/index.ts";
import { codeFor, exchange, openPage } from "./harness/open-page.ts";
import { openServer } from "./harness/open-server.ts";

let store: Store;
let server: ServerHandle;
let token: IssuedToken;
let lines: string[] = [];
beforeAll(async () => {
  store = await openStore("memory:");
  const securityLog = (line: string): void => void lines.push(line);
  const hosts = ["127.0.0.1"];
  server = await openServer(store, { authenticate: createAuthenticate(store), hosts, securityLog });
  token = await store.createToken({ scopes: ["channel:team:read"] });
});
afterAll(async () => {
  await server.close();
  await store.close();
});
beforeEach(() => {
  lines = [];
});

const events = (): Record<string, unknown>[] => lines.map((line) => JSON.parse(line));
const TEAM = "/v1/stream/channels/team";
const WRONG = `continuo_${"0".repeat(32)}_${"A".repeat(43)}`;

test("a page is recorded from its code to its end, with the ids of its tokens and without a secret", async () => {
  const { secret } = await openPage(server.url, token.secret);
  const headers = { authorization: `Bearer ${secret}` };
  await fetch(`${server.url}/v1/pages/cookie`, { method: "DELETE", headers });
  const [accepted, issued, opened, used, closed] = events();
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/u);
  const from = { time, address: "127.0.0.1", workspaceId: "default" };
  const tokenId = expect.stringMatching(/^[\da-f-]{36}$/u);
  expect(accepted).toEqual({ ...from, event: "token_accepted", tokenId: token.tokenId });
  expect(issued).toEqual({ ...from, event: "code_issued", tokenId: token.tokenId });
  expect(opened).toEqual({ ...from, event: "page_opened", tokenId, parentId: token.tokenId });
  expect(used).toEqual({ ...opened, event: "token_accepted", time });
  expect(closed).toEqual({ ...from, event: "page_closed", tokenId: opened?.tokenId });
  expect(lines).toHaveLength(5);
  expect(lines.join("\n")).not.toContain("continuo_");
});

test("wrong secrets, codes, origins and hosts, and tokens in URLs are recorded with the address, and without the values that were sent", async () => {
  await fetch(`${server.url}${TEAM}`, { headers: { authorization: `Bearer ${WRONG}` } });
  await exchange(server.url, WRONG);
  await fetch(`${server.url}${TEAM}`, { headers: { origin: "https://evil.example" } });
  await fetch(`${server.url.replace("127.0.0.1", "[::ffff:127.0.0.1]")}${TEAM}`);
  await fetch(`${server.url}${TEAM}?x=${token.secret}`);
  await fetch(`${server.url}${TEAM}`);
  expect(events().map(({ event, address, reason }) => [event, address, reason])).toEqual([
    ["login_failed", "127.0.0.1", "the token is unknown, expired or revoked"],
    ["page_refused", "127.0.0.1", "the code was used, has expired, or is not a code"],
    ["origin_refused", "127.0.0.1", "https://evil.example"],
    ["host_refused", "127.0.0.1", expect.stringContaining("ffff")],
    ["token_in_url", "127.0.0.1", undefined],
  ]);
  expect(lines.join("\n")).not.toContain(token.secret.slice(-20));
  expect(lines.join("\n")).not.toContain(WRONG);
});

test("a stranger who guesses for a long time causes few lines, and a line says that the stranger is limited", async () => {
  const code = await codeFor(server.url, token.secret);
  for (let turn = 0; turn < 60; turn++) {
    await fetch(`${server.url}${TEAM}`, { headers: { authorization: `Bearer ${WRONG}` } });
  }
  const counted = new Map<unknown, number>();
  for (const { event } of events()) counted.set(event, (counted.get(event) ?? 0) + 1);
  expect(counted.get("login_failed")).toBeLessThanOrEqual(10);
  expect(counted.get("guesses_limited")).toBeGreaterThan(0);
  expect(counted.get("guesses_limited")).toBeLessThanOrEqual(10);
  expect(code).toContain("continuo_");
});

test("lines that are left out are counted for each kind and network once a minute, in bounded memory", () => {
  vi.useFakeTimers();
  try {
    const written: string[] = [];
    const log = createSecurityLog({ write: (line) => void written.push(line) });
    for (let turn = 0; turn < 5_000; turn++) log.record("login_failed", { address: "192.0.2.1" });
    log.record("origin_refused", { address: "192.0.2.1", reason: "x".repeat(1_000) });
    expect(written).toHaveLength(11);
    expect(written.at(-1)?.length).toBeLessThan(400);
    vi.advanceTimersByTime(60_000);
    expect(written.slice(11).map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ event: "login_failed", suppressed: 4_990 }),
    ]);
    // A flood from everywhere.
    written.length = 0;
    for (let turn = 0; turn < 50_000; turn++) {
      const address = `10.${turn >> 16}.${(turn >> 8) & 255}.${turn & 255}`;
      log.record("login_failed", { address });
    }
    expect(written).toHaveLength(110);
    log.close();
    const suppressed = written
      .slice(110)
      .map((line) => (JSON.parse(line) as { suppressed: number }).suppressed);
    expect(suppressed.reduce((sum, one) => sum + one, 0)).toBe(50_000 - 110);
  } finally {
    vi.useRealTimers();
  }
});
