/** The security log: who was admitted, what was refused to whom, and that input from others cannot forge a line. */

import { once } from "node:events";
import type { IssuedToken, Store } from "@continuo/core/model";
import { LIVE_SUBPROTOCOL, SUBPROTOCOL } from "@continuo/core/wire";
import { createAuthenticate, createServer, type ServerHandle } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import type { Peer } from "../../packages/server/src/server/context/index.ts";
import { createSecurityLog } from "../../packages/server/src/server/security-log/index.ts";
import { openServer } from "./harness/open-server.ts";

let store: Store;
let server: ServerHandle;
let token: IssuedToken;
let lines: string[] = [];
let reports: string[] = [];
let isBroken = false;
beforeAll(async () => {
  store = await openStore("memory:");
  await store.createLog({ logId: "channels/team" });
  server = await openServer(store, {
    authenticate: createAuthenticate(store),
    store: (workspaceId, by) => {
      if (isBroken) throw new TypeError("a mistake with\nline ends and \u001b[31mcolours");
      return store.forWorkspace(workspaceId, by);
    },
    live: { workspaceIds: [] },
    limits: { connections: 1, requestBytes: 10_000 },
    securityLog: (line) => void lines.push(line),
    report: (line) => void reports.push(line),
  });
  token = await store.createToken({ scopes: ["channel:team:read,write"], handle: "ann" });
});
afterAll(async () => {
  await server.close();
  await store.close();
});
beforeEach(() => {
  lines = [];
  reports = [];
});
afterEach(() => {
  isBroken = false;
  vi.useRealTimers();
});

interface Line {
  readonly event: string;
  readonly tokenId?: string;
  readonly reason?: string;
}

const TEAM = "/v1/stream/channels/team";
const events = (): Line[] =>
  lines.map((line) => JSON.parse(line) as Line).filter(({ event }) => event !== "token_accepted");
const short = (): unknown[] => events().map(({ event, tokenId, reason }) => [event, tokenId, reason]);

function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${token.secret}`, "content-type": "application/json" };
  return fetch(`${server.url}${path}`, { ...init, headers });
}

async function say(place: string, protocol: string, frames: readonly object[]): Promise<void> {
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/v1/${place}/ws`, protocol);
  await once(socket, "open");
  for (const frame of frames) socket.send(JSON.stringify(frame));
  await once(socket, "close");
}

test("the first use of a token from a network is recorded once an hour, and its other uses are not", async () => {
  vi.useFakeTimers({ toFake: ["performance", "Date"] });
  const own: string[] = [];
  const one = createServer({
    store: () => store,
    authenticate: createAuthenticate(store),
    securityLog: (line) => void own.push(line),
  });
  const headers = { authorization: `Bearer ${token.secret}` };
  const use = async (address: string): Promise<void> => {
    const peer: Peer = { address, isLoopback: false };
    const { status } = await one.fetch(new Request(`http://here${TEAM}`, { headers }), peer);
    expect(status).toBe(200);
  };
  for (const address of ["192.0.2.1", "192.0.2.1", "2001:db8::1", "2001:db8::2", "192.0.2.1"])
    await use(address);
  vi.advanceTimersByTime(3_599_000);
  await use("192.0.2.1");
  vi.advanceTimersByTime(2_000);
  await use("192.0.2.1");
  expect(own.map((line) => JSON.parse(line))).toEqual(
    ["192.0.2.1", "2001:db8::1", "192.0.2.1"].map((address) => ({
      time: expect.any(String),
      event: "token_accepted",
      address,
      tokenId: token.tokenId,
      workspaceId: "default",
    })),
  );
  await one.close();
});

test("requests and frames that a token does not allow are recorded with the token and the scope that it lacks", async () => {
  await send("/v1/stream/channels/other", { method: "PUT" });
  await send("/v1/audit");
  await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${token.secret}` } });
  await say("channels/other", SUBPROTOCOL, [
    { type: "hello", protocol: 1, instance: "i", after: 0, token: token.secret },
  ]);
  await say("live/talk", LIVE_SUBPROTOCOL, [{ type: "hello", token: token.secret }]);
  const hello = { type: "hello", protocol: 1, instance: "i", after: 0, handle: "eve", token: token.secret };
  await say("channels/team", SUBPROTOCOL, [hello]);
  expect(short()).toEqual(
    [
      "channel:other:write",
      "admin",
      "metrics",
      "channel:other:read",
      "live:talk:read",
      "the token is for the handle ann",
    ].map((reason) => ["access_refused", token.tokenId, reason]),
  );
});

test("limits that a token meets are recorded, for requests and for open connections", async () => {
  const stop = new AbortController();
  await send(`${TEAM}?offset=now&live=sse`, { signal: stop.signal });
  expect((await send(`${TEAM}?offset=now&live=sse`)).status).toBe(429);
  stop.abort();
  expect(short()).toEqual([["limit_reached", token.tokenId, "the token already has 1 open connections"]]);
});

test("the record of refused input does not contain the sender's text", async () => {
  const secret = "what-the-sender-wrote";
  await send(TEAM, { method: "POST", body: `{"type": "${secret}` });
  await send(TEAM, { method: "POST", body: JSON.stringify({ type: secret.repeat(1_000) }) });
  await send(TEAM, { method: "POST", body: `${"[".repeat(1_100)}${"]".repeat(1_100)}` });
  await say("channels/team", SUBPROTOCOL, [{ type: secret }]);
  expect(short()).toEqual([
    ["input_refused", token.tokenId, "invalid"],
    ["input_refused", token.tokenId, "too_large"],
    ["input_refused", token.tokenId, "too_large"],
    ["input_refused", undefined, "invalid"],
  ]);
  expect(lines.join("\n")).not.toContain(secret);
});

test("a failure of the server is recorded by its name, and reported with its place in the code", async () => {
  const admin = await store.createToken({ scopes: ["admin"] });
  isBroken = true;
  const headers = { authorization: `Bearer ${admin.secret}` };
  expect((await fetch(`${server.url}${TEAM}`, { method: "DELETE", headers })).status).toBe(500);
  expect(short()).toEqual([["request_failed", admin.tokenId, "TypeError"]]);
  // The timer that looks at subscriptions may fail at this moment too.
  const ofRequest = reports.filter((line) => line.startsWith("request failed"));
  expect(ofRequest).toEqual([
    expect.stringMatching(/^request failed: TypeError: a mistake(?:.|\n)*\n +at /u),
  ]);
});

test("input from others cannot forge a line of the security log", () => {
  const written: string[] = [];
  const log = createSecurityLog({ write: (line) => void written.push(line) });
  const forged = '{"event":"token_accepted"}';
  const ends = [
    "\n",
    "\r",
    "\r\n",
    "\u2028",
    "\u2029",
    "\u0085",
    "\v",
    "\f",
    "\u001b[2K",
    "\u009b2K",
    "\u202e",
    "\u{e0001}",
  ];
  const reasons = ends.map((end) => `evil${end}${forged}`);
  for (const [index, reason] of reasons.entries())
    log.record("origin_refused", { address: `10.0.0.${index}`, reason });
  log.close();
  expect(written.map((line) => (JSON.parse(line) as Line).reason)).toEqual(reasons);
  expect(written.filter((line) => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(line))).toEqual([]);
});

test("times in the security log and the audit log are UTC in any time zone, and acts can be listed from a time on", async () => {
  const zone = process.env.TZ;
  process.env.TZ = "Pacific/Kiritimati";
  try {
    expect(new Date().getTimezoneOffset()).toBe(-840);
    const before = Date.now();
    const written: string[] = [];
    const log = createSecurityLog({ write: (line) => void written.push(line) });
    log.record("login_failed", { address: "192.0.2.1" });
    log.close();
    await store.recordAudit({ what: "server_started", target: "http://here", details: {} });
    const { entries } = (await (
      await asAdmin(`/v1/audit?what=server_started&since=${new Date(before).toISOString()}`)
    ).json()) as {
      readonly entries: readonly { readonly at: string }[];
    };
    const later = new Date(before + 3_600_000).toISOString();
    expect(await (await asAdmin(`/v1/audit?since=${later}`)).json()).toMatchObject({ entries: [] });
    const times = [JSON.parse(written[0] ?? "").time as string, entries[0]?.at ?? ""];
    for (const time of times) {
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u);
      expect(Math.abs(Date.parse(time) - before)).toBeLessThan(60_000);
    }
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});

async function asAdmin(path: string): Promise<Response> {
  const { secret } = await store.createToken({ scopes: ["admin"] });
  return fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${secret}` } });
}
