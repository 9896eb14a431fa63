import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeSocket } from "../../../../test/channels/fake-socket.ts";
import { ContinuoError } from "../model/index.ts";
import { CHANNEL_LIMITS, CLOSE } from "../wire/index.ts";
import type { AgenticClient } from "./client.ts";
import { tokenFor } from "./client-options.ts";
import { type ConnectOptions, connect, watch } from "./connect.ts";
import { LIMITS } from "./limits.ts";
import { Link, type LinkOptions, type Request } from "./link.ts";
import { openChannel } from "./open-channel.ts";

const HELLO = {
  type: "hello",
  protocol: 1,
  workspaceId: "w",
  channel: "team",
  latestSequence: 0,
  session: null,
};
const SEND = { type: "send", id: "a", content: "hello" } as unknown as Request;

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.opened.length = 0;
  vi.stubGlobal("WebSocket", FakeSocket);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function openLink(more: Partial<LinkOptions> = {}): Link {
  return new Link({
    url: "ws://localhost/v1/channels/team/ws",
    reconnect: true,
    firstConnectionMs: 60_000,
    warn: () => undefined,
    hello: async () => ({ after: 0 }) as never,
    onFrame: () => undefined,
    onLost: () => undefined,
    onEnd: () => undefined,
    ...more,
  });
}

/** The newest socket, greeted by its server. */
async function greeted(more: object = {}): Promise<FakeSocket> {
  const socket = FakeSocket.opened.at(-1);
  if (socket === undefined) throw new Error("no socket was opened");
  socket.accept();
  await vi.advanceTimersByTimeAsync(0);
  socket.say({ ...HELLO, ...more });
  return socket;
}

test("a request that was not confirmed is sent again over the next socket, and a confirmed one is not", async () => {
  const link = openLink();
  const first = await greeted();
  link.joined();
  const [one, two] = [link.request(SEND), link.request({ ...SEND, id: "b" } as Request)];
  first.say({ type: "ok", request: 1, result: "stored" });
  expect(await one).toBe("stored");
  first.close(1006);
  await vi.advanceTimersByTimeAsync(LIMITS.longestRetryMs);
  const second = await greeted();
  expect(second.framesOf("send").map(({ id }) => id)).toEqual(["b"]);
  second.say({ type: "ok", request: 2, result: "stored too" });
  expect(await two).toBe("stored too");
});

test("requests that wait are sent again in their order", async () => {
  const link = openLink();
  const first = await greeted();
  link.joined();
  const all = ["a", "b", "c"].map((id) => link.request({ ...SEND, id } as Request).catch(() => undefined));
  first.close(1006);
  await vi.advanceTimersByTimeAsync(LIMITS.longestRetryMs);
  const second = await greeted();
  expect(second.framesOf("send").map(({ id }) => id)).toEqual(["a", "b", "c"]);
  void link.close();
  await vi.advanceTimersByTimeAsync(LIMITS.closeMs);
  second.close();
  await Promise.all(all);
});

test("the first pause after a connection that worked is short, however many tries there were before it", async () => {
  const link = openLink();
  for (let tries = 0; tries < 6; tries++) {
    FakeSocket.opened.at(-1)?.close(1006);
    await vi.advanceTimersByTimeAsync(LIMITS.longestFirstRetryMs);
  }
  const socket = await greeted();
  link.joined();
  const before = FakeSocket.opened.length;
  socket.close(1006);
  await vi.advanceTimersByTimeAsync(LIMITS.firstRetryMs);
  expect(FakeSocket.opened).toHaveLength(before + 1);
  await link.close();
});

test("a write beyond the number that may wait for the server is refused at once", async () => {
  const link = openLink();
  const waiting = Array.from({ length: LIMITS.pendingRequests }, () => link.request(SEND));
  await expect(link.request(SEND)).rejects.toMatchObject({ code: "busy" });
  const ended = Promise.allSettled(waiting);
  const closing = link.close();
  await vi.advanceTimersByTimeAsync(LIMITS.closeMs);
  await closing;
  expect((await ended).every(({ status }) => status === "rejected")).toBe(true);
});

test("closing waits until everything is confirmed, and then until the server ended the socket", async () => {
  const link = openLink();
  const socket = await greeted();
  link.joined();
  const sent = link.request(SEND);
  let isClosed = false;
  const closing = link.close().then(() => {
    isClosed = true;
  });
  await vi.advanceTimersByTimeAsync(10);
  expect(socket.framesOf("close")).toEqual([]);
  socket.say({ type: "ok", request: 1, result: "stored" });
  await vi.advanceTimersByTimeAsync(10);
  expect([await sent, socket.framesOf("close").length, isClosed]).toEqual(["stored", 1, false]);
  socket.close(1000);
  await closing;
});

test("a link that is closed twice while a request waits leaves once, and both calls resolve", async () => {
  const link = openLink();
  const socket = await greeted();
  link.joined();
  const sent = link.request(SEND);
  const ended: string[] = [];
  for (const call of ["first", "second"]) void link.close().then(() => ended.push(call));
  await vi.advanceTimersByTimeAsync(10);
  socket.say({ type: "ok", request: 1, result: "stored" });
  await vi.advanceTimersByTimeAsync(10);
  expect([await sent, socket.framesOf("close").length]).toEqual(["stored", 1]);
  socket.close(1000);
  await vi.advanceTimersByTimeAsync(10);
  expect(ended).toEqual(["first", "second"]);
});

test("a frame that is longer than the server reads is refused, and the others are sent over the next socket", async () => {
  const link = openLink();
  const first = await greeted();
  link.joined();
  const long = link.request({ ...SEND, content: "x".repeat(10_000) } as Request);
  const short = link.request({ ...SEND, id: "b" } as Request);
  const refused = expect(long).rejects.toMatchObject({ code: "too_large" });
  first.close(CLOSE.tooLarge);
  await refused;
  await vi.advanceTimersByTimeAsync(LIMITS.longestRetryMs);
  const second = await greeted();
  expect(second.framesOf("send").map(({ id }) => id)).toEqual(["b"]);
  second.say({ type: "ok", request: 2, result: "stored" });
  expect(await short).toBe("stored");
});

test("a message whose bytes do not fit in a frame is refused at once, and the connection stays", async () => {
  const link = openLink();
  const socket = await greeted();
  link.joined();
  const content = "茶".repeat(Math.ceil(CHANNEL_LIMITS.frameBytes / 3));
  await expect(link.request({ ...SEND, content } as Request)).rejects.toMatchObject({ code: "too_large" });
  expect([socket.framesOf("send"), FakeSocket.opened.length]).toEqual([[], 1]);
});

test("a server that ends names the time after which its clients come back", async () => {
  const link = openLink();
  const first = await greeted();
  link.joined();
  first.say({ type: "bye", retryMs: 60_000 });
  first.close(CLOSE.draining);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(FakeSocket.opened).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1_000 + LIMITS.longestRetryMs);
  expect(FakeSocket.opened.length).toBeGreaterThan(1);
  await link.close();
});

/** A client that was greeted and is ready, and the socket of its server. */
async function connected(
  more: Partial<ConnectOptions> = {},
  roster: readonly object[] = [],
): Promise<{ readonly client: AgenticClient; readonly socket: FakeSocket }> {
  const joining = connect({
    serverUrl: "http://localhost",
    channel: "team",
    handle: "ann",
    workspaceId: "w",
    ...more,
  });
  const session = { status: "active", processed: 2, received: 2, sdkSessionId: null };
  // The parts for a participant with a workspace are loaded first.
  await vi.dynamicImportSettled();
  const socket = await greeted({ after: 2, latestSequence: 2, session, degraded: null });
  socket.say({ type: "ready", sequence: 2, roster });
  return { client: await joining, socket };
}

function event(sequence: number): object {
  const actor = { kind: "person", id: "bob" };
  const one = { id: `e${sequence}`, sequence, type: "message_sent", actor, data: { content: "hello" } };
  return { type: "event", after: sequence - 1, event: { ...one, occurredAt: "2026-01-01T00:00:00.000Z" } };
}

test("a client that comes back continues after the last event that it has, not after what was processed", async () => {
  const { client, socket } = await connected();
  expect(socket.framesOf("hello")).toMatchObject([{ after: "processed", replay: "collect" }]);
  for (const sequence of [3, 4, 5]) socket.say(event(sequence));
  socket.close(1006);
  await vi.advanceTimersByTimeAsync(LIMITS.longestRetryMs);
  const second = await greeted({ after: 5, degraded: null });
  expect(second.framesOf("hello")).toMatchObject([{ after: 5 }]);
  const closing = client.close();
  second.close(1000);
  await closing;
});

test("a client that is closed first sends the collected parts of its message, and its read position", async () => {
  const { client, socket } = await connected();
  const opening = client.send("", { messageId: "m" });
  socket.say({ type: "ok", request: socket.framesOf("send")[0]?.request, result: { sequence: 3 } });
  await opening;
  void client.update("m", "The last words").catch(() => undefined);
  socket.say(event(3));
  await client.events().next();
  const closing = client.close();
  expect(socket.framesOf("append")).toMatchObject([{ messageId: "m", delta: "The last words" }]);
  expect(socket.framesOf("received")).toMatchObject([{ sequence: 3 }]);
  await vi.advanceTimersByTimeAsync(LIMITS.closeMs);
  socket.close(1000);
  await closing;
});

test("the address of a channel keeps the path of the server, and takes nothing else of its URL", async () => {
  const stop = new AbortController();
  const joining = connect({
    serverUrl: "https://example.com/base/?token=secret#part",
    channel: "team",
    handle: "ann",
    signal: stop.signal,
  });
  expect(FakeSocket.opened.map(({ url }) => url)).toEqual(["wss://example.com/base/v1/channels/team/ws"]);
  stop.abort(new Error("the person left"));
  await expect(joining).rejects.toMatchObject({ code: "cancelled", cause: new Error("the person left") });
});

async function leave(client: AgenticClient, socket: FakeSocket): Promise<void> {
  const closing = client.close();
  await vi.advanceTimersByTimeAsync(LIMITS.closeMs);
  socket.close(1000);
  await closing;
}

test.each([
  [{}, { participantType: "person", after: "processed", replay: "collect" }],
  [
    { type: "agent", after: 0 },
    { participantType: "agent", after: 0, replay: "collect" },
  ],
  [
    { replayMode: "skip", after: 7 },
    { after: 7, replay: "skip" },
  ],
] as const)("a hello names the client, and the place from which it reads: %j", async (options, hello) => {
  const { client, socket } = await connected(options);
  expect(socket.framesOf("hello")).toMatchObject([hello]);
  await leave(client, socket);
});

test("a deletion, a reaction and its removal say what they change, and why", async () => {
  const { client, socket } = await connected();
  const all = [
    client.delete("m", { reason: "a secret" }),
    client.addReaction("m", "👍"),
    client.removeReaction("m", "👍"),
  ].map((one) => one.catch(() => undefined));
  expect(socket.framesOf("delete")).toMatchObject([{ messageId: "m", reason: "a secret" }]);
  expect(socket.framesOf("react").map(({ change }) => change)).toEqual(["added", "removed"]);
  await leave(client, socket);
  await Promise.all(all);
});

test("those who came and went while the connection was lost are reported, and nobody who was there from the beginning", async () => {
  const member = (handle: string) => ({ handle, name: handle, type: "person", capabilities: [] });
  const { client, socket } = await connected({}, ["ann", "bob", "cleo"].map(member));
  socket.close(1006);
  await vi.advanceTimersByTimeAsync(LIMITS.longestRetryMs);
  const second = await greeted({ after: 2, degraded: null });
  second.say({ type: "ready", sequence: 2, roster: ["ann", "cleo", "dora"].map(member) });
  await leave(client, second);
  const changes: unknown[] = [];
  for await (const one of client.events()) if (one.type === "presence") changes.push([one.change, one.from]);
  expect(changes).toEqual([
    ["left", "bob"],
    ["joined", "dora"],
  ]);
});

test("calls that wait for a result end with the client", async () => {
  const { client, socket } = await connected();
  const { result } = client.call("bob", "port", {});
  const ended = expect(result).rejects.toMatchObject({ code: "unavailable" });
  socket.say({ type: "ok", request: socket.framesOf("call")[0]?.request, result: { sequence: 3 } });
  await leave(client, socket);
  await ended;
});

test.each<[because: string, load: () => Response, token: () => string, error: object]>([
  [
    "the server fails",
    () => Response.json({}, { status: 500 }),
    () => "secret",
    { code: "unavailable", details: { status: 500 } },
  ],
  [
    "the server is busy",
    () => Response.json({ error: { code: "busy", message: "later" } }, { status: 429 }),
    () => "secret",
    { code: "busy", message: "later" },
  ],
  [
    "the answer is not JSON",
    () => new Response("<p>soon</p>"),
    () => "secret",
    { code: "unavailable", cause: expect.any(SyntaxError) },
  ],
  [
    "the server is slow",
    () => {
      throw new DOMException("The operation was aborted due to timeout", "TimeoutError");
    },
    () => "secret",
    { code: "unavailable", cause: expect.any(DOMException) },
  ],
  [
    "there is no token",
    () => Response.json({ messages: [], sequence: 0, hasOlder: false }),
    () => {
      throw new Error("the service of tokens is down");
    },
    { code: "unauthorized", message: "the connection got no token" },
  ],
])("a channel that cannot be opened because %s says so", async (_, load, token, error) => {
  vi.stubGlobal("fetch", async (url: string) => {
    if (url.endsWith("/healthz")) throw new TypeError("fetch failed");
    return load();
  });
  const openSocket = (url: string): WebSocket => {
    const socket = new FakeSocket(url);
    queueMicrotask(() => socket.accept());
    return socket as unknown as WebSocket;
  };
  const access = { serverUrl: "http://localhost", channel: "tea", handle: "ann", token, openSocket };
  const opening = openChannel({ ...access, firstConnectionMs: 500, onWarning: () => undefined });
  const refused = expect(opening).rejects.toMatchObject(error);
  await vi.advanceTimersByTimeAsync(10_000);
  await refused;
});

test("a client that no longer waits ends at once, and its signal does not end it once it is connected", async () => {
  const joining = connect({
    serverUrl: "http://localhost",
    channel: "team",
    handle: "ann",
    signal: AbortSignal.abort(new Error("the person left")),
  });
  await expect(joining).rejects.toMatchObject({ code: "cancelled" });
  const stop = new AbortController();
  const { client, socket } = await connected({ signal: stop.signal });
  stop.abort();
  await vi.advanceTimersByTimeAsync(LIMITS.closeMs);
  expect(socket.framesOf("close")).toEqual([]);
  await leave(client, socket);
});

test("a reader of a channel takes no handle, reads from the beginning, and connects again", async () => {
  const watching = watch({ serverUrl: "http://localhost", channel: "team" });
  const socket = await greeted({ after: 0, degraded: null });
  socket.say({ type: "ready", sequence: 0, roster: [] });
  const watcher = await watching;
  const [hello] = socket.framesOf("hello");
  expect(hello).toMatchObject({ after: 0, replay: "stream" });
  expect(Object.keys(hello ?? {})).not.toContain("handle");
  socket.close(1006);
  await vi.advanceTimersByTimeAsync(LIMITS.longestRetryMs);
  expect(FakeSocket.opened.length).toBeGreaterThan(1);
  await watcher.close();
});

test("a participant without a name is shown by its handle", async () => {
  const { client, socket } = await connected();
  expect(socket.framesOf("hello")).toMatchObject([{ handle: "ann", name: "ann", participantType: "person" }]);
  await leave(client, socket);
});

test("a function that gives the token is asked for each connection, and is tried again if it finds no server", async () => {
  const given = [
    new ContinuoError("unavailable", "no server of tokens"),
    new Error("no such user"),
    "secret",
  ];
  const tokens: unknown[] = [];
  const warnings: string[] = [];
  const joining = connect({
    serverUrl: "http://localhost",
    channel: "team",
    handle: "ann",
    token: async () => {
      const next = given.shift() ?? "another secret";
      tokens.push(next);
      if (typeof next !== "string") throw next;
      return next;
    },
    onWarning: (line) => void warnings.push(line),
  });
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("fetch failed")));
  for (let tries = 0; tries < 2; tries++) {
    FakeSocket.opened.at(-1)?.accept();
    await vi.advanceTimersByTimeAsync(LIMITS.longestFirstRetryMs);
  }
  const socket = await greeted({ after: 0, degraded: null });
  socket.say({ type: "ready", sequence: 0, roster: [] });
  const client = await joining;
  expect(socket.framesOf("hello")).toMatchObject([{ token: "secret" }]);
  expect(tokens).toHaveLength(3);
  await leave(client, socket);
});

test("a token that cannot be made is unauthorized, unless its service cannot be reached", async () => {
  const failing = (error: Error) => tokenFor({ token: () => Promise.reject(error) });
  const away = new ContinuoError("unavailable", "no server of tokens");
  await expect(failing(away)).rejects.toBe(away);
  await expect(failing(new Error("no such user"))).rejects.toMatchObject({ code: "unauthorized" });
});

test("what an earlier socket still says is not taken", async () => {
  const frames: string[] = [];
  const link = openLink({ onFrame: ({ type }) => void frames.push(type) });
  const first = await greeted();
  link.joined();
  first.close(1006);
  await vi.advanceTimersByTimeAsync(LIMITS.longestRetryMs);
  const before = frames.length;
  first.say(HELLO);
  expect(frames).toHaveLength(before);
  const closing = link.close();
  await vi.advanceTimersByTimeAsync(LIMITS.closeMs);
  await closing;
});
