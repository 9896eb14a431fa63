/** Open connections of a token that is revoked or expires: sockets, streams and waits, also those of its pages. */

import { once } from "node:events";
import type { Store } from "@continuo/core/model";
import { LIVE_SUBPROTOCOL, SUBPROTOCOL } from "@continuo/core/wire";
import { createAuthenticate, type ServerHandle } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { openPage } from "./harness/open-page.ts";
import { openServer } from "./harness/open-server.ts";

const SCOPES = ["channel:team:read,write", "live:talk:read,write"];
const STREAM = "/v1/stream/channels/team?offset=now&live=";
/** A wait that nothing ends takes this long. */
const WAIT_MS = 60_000;

let store: Store;
let server: ServerHandle;
beforeAll(async () => {
  store = await openStore("memory:");
  await store.createLog({ logId: "channels/team" });
  const live = { workspaceIds: [] };
  server = await openServer(store, {
    authenticate: createAuthenticate(store),
    live,
    longPollMs: WAIT_MS,
  });
  const { secret } = await store.createToken({ scopes: SCOPES });
  await fetch(`${server.url}/v1/live/talk`, {
    method: "PUT",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({ videoId: "v" }),
  });
});
afterAll(async () => {
  await server.close();
  await store.close();
});

interface Opened {
  /** The last message to the other side. */
  readonly ended: Promise<string>;
  close(): void;
}

async function openSocket(place: string, protocol: string, token: string): Promise<Opened> {
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/v1/${place}/ws`, protocol);
  const codes: string[] = [];
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  socket.on("message", (data) => {
    const frame = JSON.parse(data.toString()) as { readonly type: string; readonly error?: { code: string } };
    if (frame.type === "ready") resolve();
    if (frame.error !== undefined) codes.push(frame.error.code);
  });
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "hello", protocol: 1, instance: "i", after: 0, token }));
  await ready;
  const ended = once(socket, "close").then(([code]) => `${code} ${codes.join()}`);
  return { ended, close: () => socket.terminate() };
}

async function openStream(token: string): Promise<Opened> {
  const stop = new AbortController();
  const response = await fetch(`${server.url}${STREAM}sse`, {
    headers: { authorization: `Bearer ${token}` },
    signal: stop.signal,
  });
  const read = async (): Promise<string> => {
    for await (const _ of response.body ?? []);
    return "stream ended";
  };
  return { ended: read().catch(() => "closed by the test"), close: () => stop.abort() };
}

function wait(token: string): Opened {
  const stop = new AbortController();
  const began = performance.now();
  const answer = fetch(`${server.url}${STREAM}long-poll`, {
    headers: { authorization: `Bearer ${token}` },
    signal: stop.signal,
  });
  const said = (status: number): string =>
    performance.now() - began < WAIT_MS ? `status ${status}` : "the wait was over";
  const ended = answer.then(({ status }) => said(status)).catch(() => "closed by the test");
  return { ended, close: () => stop.abort() };
}

async function openAll(token: string): Promise<readonly Opened[]> {
  return [
    await openSocket("channels/team", SUBPROTOCOL, token),
    await openSocket("live/talk", LIVE_SUBPROTOCOL, token),
    await openStream(token),
    wait(token),
  ];
}

const ENDS = ["4000 unauthorized", "4000 unauthorized", "stream ended", "status 204"];

test("when a token is revoked, its connections and those of its page end, and no others", async () => {
  const own = await store.createToken({ scopes: SCOPES });
  const other = await store.createToken({ scopes: SCOPES });
  const page = await openPage(server.url, own.secret);
  const left = await openPage(server.url, own.secret);
  const staying = await openAll(other.secret);
  const leaving = [...(await openAll(own.secret)), ...(await openAll(page.secret))];
  const leavingFirst = await openAll(left.secret);
  const alone = await store.authenticate(left.secret);
  await store.revokeToken(alone?.tokenId ?? "");
  expect(await Promise.all(leavingFirst.map(({ ended }) => ended))).toEqual(ENDS);
  await store.revokeToken(own.tokenId);
  expect(await Promise.all(leaving.map(({ ended }) => ended))).toEqual([...ENDS, ...ENDS]);
  const nothing = new Promise((resolve) => setTimeout(resolve, 100, "nothing ended"));
  expect(await Promise.race([...staying.map(({ ended }) => ended), nothing])).toBe("nothing ended");
  for (const { close } of staying) close();
});

test("a socket ends when its token expires", async () => {
  const expiresAt = new Date(Date.now() + 2_000).toISOString();
  const { secret } = await store.createToken({ scopes: SCOPES, expiresAt });
  const { ended } = await openSocket("channels/team", SUBPROTOCOL, secret);
  expect(await ended).toBe("4000 unauthorized");
});

test("after its token was revoked, a socket can no longer write, even if its client still sends", async () => {
  const own = await store.createToken({ scopes: SCOPES, handle: "eve" });
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/v1/channels/team/ws`, SUBPROTOCOL);
  await once(socket, "open");
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  socket.on("message", (data) => {
    const frame = JSON.parse(data.toString()) as { readonly type: string };
    if (frame.type === "ready") void store.revokeToken(own.tokenId);
    if (frame.type !== "error") return;
    socket.send(JSON.stringify({ type: "send", request: 1, id: "late", content: "too late" }));
    resolve();
  });
  const hello = { type: "hello", protocol: 1, instance: "i", handle: "eve", after: 0, token: own.secret };
  socket.send(JSON.stringify(hello));
  await ended;
  await once(socket, "close");
  const { events } = await store.read("channels/team");
  expect(JSON.stringify(events)).not.toContain("too late");
});
