import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeSocket } from "../../../../test/channels/fake-socket.ts";
import { connect } from "./connect.ts";
import { LIMITS } from "./limits.ts";
import { Link, type LinkOptions, type Request } from "./link.ts";

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
async function greeted(): Promise<FakeSocket> {
  const socket = FakeSocket.opened.at(-1);
  if (socket === undefined) throw new Error("no socket was opened");
  socket.accept();
  await vi.advanceTimersByTimeAsync(0);
  socket.say(HELLO);
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

test("one write more than may wait for the server is refused at once", async () => {
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
