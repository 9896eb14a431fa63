import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeSocket } from "../../../../../test/channels/fake-socket.ts";
import { Feed, watchLive } from "./feed.ts";
import { LIMITS } from "./limits.ts";
import { memoryOutbox } from "./outbox.ts";

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.opened.length = 0;
  vi.stubGlobal("WebSocket", FakeSocket);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** The newest socket, over which the server names the session. */
function greeted(sessionId: string): FakeSocket {
  const socket = FakeSocket.opened.at(-1);
  if (socket === undefined) throw new Error("no socket was opened");
  socket.accept();
  socket.say({ type: "hello", sessionId });
  return socket;
}

test("a lost connection continues after the last event, and another session begins at its first one", async () => {
  const watching = watchLive({ serverUrl: "http://localhost", key: "talk", onFrame: () => undefined });
  const first = greeted("s1");
  first.say({ type: "event", event: { sequence: 7 } });
  first.close(1006);
  await vi.advanceTimersByTimeAsync(LIMITS.longestRetryMs);
  const second = greeted("s1");
  expect(second.framesOf("hello")).toEqual([{ type: "hello", after: 7, sessionId: "s1" }]);
  second.say({ type: "hello", sessionId: "s2" });
  second.close(1006);
  await vi.advanceTimersByTimeAsync(LIMITS.longestRetryMs);
  expect(greeted("s2").framesOf("hello")).toEqual([{ type: "hello", after: 0, sessionId: "s2" }]);
  watching.close();
});

test("a connection on which the server says nothing is given up, and opened again", async () => {
  const watching = watchLive({ serverUrl: "http://localhost", key: "talk", onFrame: () => undefined });
  const silent = greeted("s1");
  await vi.advanceTimersByTimeAsync(LIMITS.silenceMs);
  expect(silent.readyState).toBe(1);
  await vi.advanceTimersByTimeAsync(2 * LIMITS.heartbeatMs + LIMITS.longestRetryMs);
  expect(silent.readyState).toBe(3);
  // The pause before the next try is random, and the next server may be given up as well by now.
  expect(FakeSocket.opened.length).toBeGreaterThan(1);
  watching.close();
});

test("another token is used at once, and not only after the pause before the next try", () => {
  const feed = new Feed({
    serverUrl: "http://localhost",
    key: "talk",
    onFrame: () => undefined,
    token: "old",
  });
  FakeSocket.opened.at(-1)?.close(1008);
  feed.useToken("new");
  expect(FakeSocket.opened).toHaveLength(2);
  expect(greeted("s1").framesOf("hello")).toMatchObject([{ token: "new" }]);
  feed.close();
});

test("another token ends the open connection, and the next one has it", async () => {
  const options = { serverUrl: "http://localhost", key: "talk", onFrame: () => undefined, token: "old" };
  const feed = new Feed(options);
  const first = greeted("s1");
  feed.useToken("new");
  expect(first.readyState).toBe(3);
  await vi.advanceTimersByTimeAsync(LIMITS.longestRetryMs);
  expect(greeted("s1").framesOf("hello")).toMatchObject([{ token: "new" }]);
  feed.close();
});

test("a frame of the socket before a restart is not shown", async () => {
  const shown: string[] = [];
  const feed = new Feed({
    serverUrl: "http://localhost",
    key: "talk",
    onFrame: (frame) =>
      void shown.push(frame.type === "event" ? `event ${frame.event.sequence}` : frame.type),
  });
  const first = greeted("s1");
  first.say({ type: "event", event: { sequence: 1 } });
  feed.restart();
  await vi.advanceTimersByTimeAsync(LIMITS.longestRetryMs);
  const second = greeted("s2");
  first.say({ type: "event", event: { sequence: 2 } });
  second.say({ type: "event", event: { sequence: 3 } });
  expect([FakeSocket.opened.length, shown]).toEqual([2, ["hello", "event 1", "hello", "event 3"]]);
  feed.close();
});

test.each([
  ["wss://example.com/base/", "wss://example.com/base/v1/live/talk/ws"],
  ["https://example.com", "wss://example.com/v1/live/talk/ws"],
  ["ws://localhost:8080", "ws://localhost:8080/v1/live/talk/ws"],
])("a watch at %s connects to %s, and is encrypted whenever its address is", (serverUrl, url) => {
  const watching = watchLive({ serverUrl, token: "secret", key: "talk", onFrame: () => undefined });
  expect(greeted("s1").framesOf("hello")).toMatchObject([{ token: "secret" }]);
  expect(FakeSocket.opened.map((one) => one.url)).toEqual([url]);
  watching.close();
});

test("a watch that was closed opens no further socket", async () => {
  const watching = watchLive({ serverUrl: "http://localhost", key: "talk", onFrame: () => undefined });
  greeted("s1");
  watching.close();
  await vi.advanceTimersByTimeAsync(2 * LIMITS.longestRetryMs);
  expect(FakeSocket.opened).toHaveLength(1);
});

test("a batch stays in the outbox until it is removed, and its number is not given again", async () => {
  const outbox = memoryOutbox();
  await outbox.reset({ producerId: "p", sessionId: "s", nextSequence: 0, batches: [] });
  for (const sequence of [0, 1, 2]) await outbox.add({ sequence, evidence: [] });
  await outbox.remove(1);
  expect(await outbox.load()).toMatchObject({ nextSequence: 3, batches: [{ sequence: 0 }, { sequence: 2 }] });
});
