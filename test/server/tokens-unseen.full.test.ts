/**
 * A server that loses its database: open connections, and requests with a token that may have been revoked in the
 * meantime.
 */

import { once } from "node:events";
import { type ClientEvent, connect } from "@continuo/core/client";
import type { ContinuoError } from "@continuo/core/model";
import { SUBPROTOCOL } from "@continuo/core/wire";
import { createAuthenticate } from "@continuo/server";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { LIMITS } from "../../packages/server/src/server/context/index.ts";
import { words } from "../channels/open-channel.ts";
import { newPostgresDatabase } from "../sizes/shared-programs.ts";
import { postgresProxy } from "../store/harness/postgres-proxy.ts";
import { openServer } from "./harness/open-server.ts";

const SCOPES = ["channel:team:read,write"];
const TEAM = "/v1/stream/channels/team";
const WRONG = `continuo_${"0".repeat(32)}_${"A".repeat(43)}`;

/** An open connection may stay open for ten seconds; closing takes a moment, and so does a busy machine. */
const SLACK_MS = 5_000;

test("without its database a server admits nobody and closes open connections after ten seconds; afterwards only tokens that are still valid are admitted", async () => {
  const direct = await newPostgresDatabase();
  await using elsewhere = await openStore(direct, { migrate: true });
  await using proxy = await postgresProxy(direct);
  await using store = await openStore(proxy.url);
  await elsewhere.createLog({ logId: "channels/team" });
  const server = await openServer(store, { authenticate: createAuthenticate(store) });
  try {
    const staying = await elsewhere.createToken({ scopes: SCOPES, handle: "ann" });
    const leaving = await elsewhere.createToken({ scopes: SCOPES, handle: "eve" });
    const join = (handle: string, token: string) =>
      connect({ serverUrl: server.url, channel: "team", handle, token, onWarning: () => undefined });
    const ann = await join("ann", staying.secret);
    const eve = await join("eve", leaving.secret);
    const heardByEve: ClientEvent[] = [];
    const endOfEve = (async () => {
      for await (const event of eve.events()) heardByEve.push(event);
    })().then(
      () => "ended",
      (error: ContinuoError) => error.code,
    );
    await ann.send("before");
    const socket = await openSocket(server.url, leaving.secret);
    const stream = openStream(server.url, leaving.secret);
    await stream.opened;

    proxy.off();
    const awayAt = performance.now();
    await elsewhere.revokeToken(leaving.tokenId);
    await new Promise((resolve) => setTimeout(resolve, LIMITS.rememberMs + 100));
    for (const secret of [staying.secret, leaving.secret, WRONG]) {
      expect(await ask(server.url, secret, "POST"), secret).toEqual([503, "unavailable"]);
      expect(await ask(server.url, secret, "GET"), secret).toEqual([503, "degraded"]);
    }
    const fresh = await openSocket(server.url, staying.secret);
    expect(await fresh.ended).toMatch(/^4000 (?:unavailable|degraded)$/u);

    expect(await socket.ended).toBe("4000 unavailable");
    await stream.ended;
    const awayMs = performance.now() - awayAt;
    expect(awayMs).toBeGreaterThan(LIMITS.tokenUnseenMs / 2);
    expect(awayMs).toBeLessThan(LIMITS.tokenUnseenMs + SLACK_MS);
    // No client is refused for good while the server cannot check whether its token is still valid.
    expect(await Promise.race([endOfEve, Promise.resolve("not ended")])).toBe("not ended");

    await elsewhere.append("channels/team", [{ type: "message_sent", data: { content: "while away" } }]);
    proxy.on();
    expect(await endOfEve).toBe("unauthorized");
    await ann.send("after");
    const heard: string[] = [];
    for await (const event of ann.events()) {
      if (event.type === "message") heard.push(words(event));
      if (heard.at(-1) === "ann: after") break;
    }
    expect(heard.filter((line) => line.startsWith("ann"))).toEqual(["ann: before", "ann: after"]);
    expect(heard).toHaveLength(3);
    expect(heardByEve.filter(({ type }) => type === "message").map(words)).toEqual(["ann: before"]);
    expect(await ask(server.url, leaving.secret, "GET")).toEqual([401, "unauthorized"]);
    expect(await ask(server.url, staying.secret, "GET")).toEqual([200, undefined]);
    await ann.close();
  } finally {
    await server.close();
  }
}, 120_000);

async function ask(url: string, secret: string, method: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const body = method === "POST" ? JSON.stringify({ type: "custom", data: {} }) : null;
  const response = await fetch(`${url}${TEAM}`, { method, headers, body });
  const { status } = response;
  if (status === 200) return [status, undefined];
  return [status, ((await response.json()) as { readonly error: { readonly code: string } }).error.code];
}

interface Opened {
  readonly ended: Promise<string>;
}

/** Sends hello; resolves when the server admitted or refused it. */
async function openSocket(url: string, token: string): Promise<Opened> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/v1/channels/team/ws`, SUBPROTOCOL);
  const codes: string[] = [];
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  const beats = setInterval(() => socket.send(JSON.stringify({ type: "heartbeat" })), 2_000);
  socket.on("message", (data) => {
    const frame = JSON.parse(data.toString()) as { readonly type: string; readonly error?: { code: string } };
    if (frame.error !== undefined) codes.push(frame.error.code);
    if (frame.type === "ready" || frame.type === "error") resolve();
  });
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "hello", protocol: 1, instance: "i", after: 0, token }));
  const ended = once(socket, "close").then(([code]) => {
    clearInterval(beats);
    return `${code} ${codes.join()}`;
  });
  await answered;
  return { ended };
}

function openStream(url: string, token: string): { opened: Promise<unknown>; ended: Promise<unknown> } {
  const opened = fetch(`${url}${TEAM}?offset=now&live=sse`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const read = async (): Promise<void> => {
    for await (const _ of (await opened).body ?? []);
  };
  return { opened, ended: read().catch(() => undefined) };
}
