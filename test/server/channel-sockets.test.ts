/** WebSockets of channels: how they authenticate, which frames they accept, and how often they receive a heartbeat. */

import { SUBPROTOCOL } from "@continuo/core/wire";
import { createAuthenticate } from "@continuo/server";
import { openStore } from "@continuo/store";
import { expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { until } from "../channels/contract/case.ts";
import { openServer } from "./harness/open-server.ts";

interface Opened {
  readonly socket: WebSocket;
  readonly frames: readonly Readonly<Record<string, unknown>>[];
  next(type: string): Promise<Readonly<Record<string, unknown>>>;
}

async function open(url: string, protocols: readonly string[] = [SUBPROTOCOL]): Promise<Opened> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/v1/channels/team/ws`, [...protocols]);
  const frames: Readonly<Record<string, unknown>>[] = [];
  const arrived = new Set<() => void>();
  socket.on("message", (data) => {
    frames.push(JSON.parse(data.toString()) as Readonly<Record<string, unknown>>);
    for (const look of arrived) look();
  });
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  const next = (type: string): Promise<Readonly<Record<string, unknown>>> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = frames.find((frame) => frame.type === type);
        if (found !== undefined) resolve(found);
      };
      arrived.add(look);
      look();
    });
  return { socket, frames, next };
}

const HELLO = { type: "hello", protocol: 1, instance: "i", handle: "ann", after: 0 };

test("a WebSocket authenticates with a token as a subprotocol or in its first frame; without one it is refused", async () => {
  await using store = await openStore("memory:");
  const server = await openServer(store, { authenticate: createAuthenticate(store) });
  const { secret } = await store.createToken({ scopes: ["channel:team:read,write"], handle: "ann" });
  const welcome = async (protocols: readonly string[], more: object = {}): Promise<unknown> => {
    const { socket, next } = await open(server.url, protocols);
    socket.send(JSON.stringify({ ...HELLO, ...more }));
    const frame = await Promise.race([next("ready"), next("error")]);
    // The answer to the handshake does not repeat the token, because proxies may log the answer.
    expect(socket.protocol).toBe(SUBPROTOCOL);
    socket.terminate();
    return frame.type === "ready" ? "ready" : (frame.error as { readonly code: string }).code;
  };
  expect(await welcome([SUBPROTOCOL, `bearer.${secret}`])).toBe("ready");
  expect(await welcome([SUBPROTOCOL], { token: secret })).toBe("ready");
  expect(await welcome([SUBPROTOCOL])).toBe("unauthorized");
  expect(await welcome([SUBPROTOCOL, `bearer.${secret}x`])).toBe("unauthorized");
  expect(await welcome([SUBPROTOCOL], { token: `${secret}x` })).toBe("unauthorized");
  await server.close();
});

test("the server refuses a binary frame, because frames are text", async () => {
  await using store = await openStore("memory:");
  const server = await openServer(store);
  const { socket, next } = await open(server.url);
  socket.send(Buffer.from(JSON.stringify(HELLO)), { binary: true });
  expect(await next("error")).toMatchObject({ error: { code: "invalid", message: "a frame must be text" } });
  await server.close();
});

test("each connection receives a heartbeat every 3 seconds, and not all of them at the same moment", async () => {
  // The test triggers the intervals of the server itself, also those of its sweeps; the sockets work as always.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    await using store = await openStore("memory:");
    await store.createLog({ logId: "channels/team" });
    const server = await openServer(store);
    const readers = await Promise.all(Array.from({ length: 45 }, () => open(server.url)));
    for (const { socket } of readers)
      socket.send(JSON.stringify({ type: "hello", protocol: 1, instance: "i", after: 0 }));
    await Promise.all(readers.map(({ next }) => next("ready")));
    const beats = (): readonly number[] =>
      readers.map(({ frames }) => frames.filter(({ type }) => type === "heartbeat").length);
    const total = (): number => beats().reduce((sum, count) => sum + count, 0);
    for (let slice = 1; slice <= 30; slice++) {
      const before = total();
      vi.advanceTimersByTime(100);
      await until(() => total() > before, "a heartbeat for a part of the readers");
    }
    await until(() => total() >= 45, "a heartbeat for each");
    expect(new Set(beats())).toEqual(new Set([1]));
    vi.advanceTimersByTime(3_000);
    await until(() => total() >= 90, "another one for each");
    expect(new Set(beats())).toEqual(new Set([2]));
    for (const { socket } of readers) socket.terminate();
    await server.close();
  } finally {
    vi.useRealTimers();
  }
});

test("the server refuses a hello for another workspace, and a handle for a token that only reads", async () => {
  await using store = await openStore("memory:");
  const server = await openServer(store, { authenticate: createAuthenticate(store) });
  const writer = await store.createToken({ scopes: ["channel:team:read,write"], handle: "ann" });
  const reader = await store.createToken({ scopes: ["channel:team:read"], handle: "ann" });
  const welcome = async (token: string, more: object): Promise<unknown> => {
    const { socket, next } = await open(server.url);
    socket.send(JSON.stringify({ ...HELLO, token, ...more }));
    const frame = await Promise.race([next("ready"), next("error")]);
    socket.terminate();
    return frame.type === "ready" ? "ready" : (frame.error as { readonly code: string }).code;
  };
  expect(await welcome(writer.secret, { workspaceId: "other" })).toBe("forbidden");
  expect(await welcome(writer.secret, { workspaceId: store.workspaceId })).toBe("ready");
  expect(await welcome(reader.secret, {})).toBe("forbidden");
  expect(await welcome(reader.secret, { handle: undefined })).toBe("ready");
  await server.close();
});

const errorOf = (frame: Readonly<Record<string, unknown>>): unknown =>
  (frame.error as { readonly code: string }).code;

test("a reader cannot create a channel, and an agent has no devices", async () => {
  await using store = await openStore("memory:");
  const server = await openServer(store);
  const reader = await open(server.url);
  reader.socket.send(JSON.stringify({ ...HELLO, handle: undefined }));
  expect(errorOf(await reader.next("error"))).toBe("not_found");
  expect(await store.getLog("channels/team")).toBeNull();
  const agent = await open(server.url);
  agent.socket.send(JSON.stringify({ ...HELLO, participantType: "agent", device: "phone" }));
  expect(errorOf(await agent.next("error"))).toBe("invalid");
  await server.close();
});

test("the refusal of an invalid request has the number of the request, and the connection stays open", async () => {
  await using store = await openStore("memory:");
  const server = await openServer(store);
  const { socket, next } = await open(server.url);
  socket.send(JSON.stringify(HELLO));
  await next("ready");
  socket.send(JSON.stringify({ type: "send", request: 7, id: "m", content: 5 }));
  expect(await next("error")).toMatchObject({ request: 7, error: { code: "invalid" } });
  socket.send(JSON.stringify({ type: "send", request: 8, id: "m", content: "hello" }));
  expect(await next("ok")).toMatchObject({ request: 8 });
  await server.close();
});

test("when one connection of a person changes the session, all connections of the person receive the change", async () => {
  await using store = await openStore("memory:");
  const server = await openServer(store);
  const hello = { ...HELLO, workspaceId: store.workspaceId };
  const phone = await open(server.url);
  phone.socket.send(JSON.stringify({ ...hello, instance: "phone" }));
  await phone.next("ready");
  const laptop = await open(server.url);
  laptop.socket.send(JSON.stringify({ ...hello, instance: "laptop" }));
  await laptop.next("ready");
  phone.socket.send(JSON.stringify({ type: "sdk_session", request: 1, sdkSessionId: "abc" }));
  expect(await laptop.next("session")).toMatchObject({ session: { sdkSessionId: "abc" } });
  await server.close();
});

test("when a connection ends, the token can open another one in its place", async () => {
  await using store = await openStore("memory:");
  const server = await openServer(store, {
    authenticate: createAuthenticate(store),
    limits: { connections: 1 },
  });
  const { secret } = await store.createToken({ scopes: ["channel:team:read,write"], handle: "ann" });
  const joined = async (): Promise<Opened> => {
    const one = await open(server.url);
    one.socket.send(JSON.stringify({ ...HELLO, token: secret }));
    return one;
  };
  const first = await joined();
  await first.next("ready");
  const second = await joined();
  expect(errorOf(await second.next("error"))).toBe("rate_limited");
  first.socket.send(JSON.stringify({ type: "close" }));
  await new Promise((resolve) => first.socket.once("close", resolve));
  const third = await joined();
  await third.next("ready");
  await server.close();
});
