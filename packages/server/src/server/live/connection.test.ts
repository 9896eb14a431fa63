import { EventEmitter } from "node:events";
import type { LiveService } from "@continuo/live";
import { LiveHost } from "@continuo/live";
import { openStore } from "@continuo/store";
import { expect, test, vi } from "vitest";
import type { WebSocket } from "ws";
import { LiveConnection } from "./connection.ts";

/** A socket without a network. */
class QuietSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  readonly bufferedAmount = 0;
  readonly sent: string[] = [];

  send(text: string): void {
    this.sent.push((JSON.parse(text) as { readonly type: string }).type);
  }

  leave(): void {
    this.readyState = 3;
    this.emit("close");
  }
}

type Follower = Awaited<ReturnType<LiveService["follow"]>>;

/** A follower that counts those who listen to it. */
function counted(follower: Follower, count: (change: 1 | -1) => void): Follower {
  return new Proxy(follower, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (name !== "onEvent" && name !== "onFault" && name !== "onAnew") return value.bind(target);
      return (listener: never) => {
        const leave = value.call(target, listener) as () => void;
        count(1);
        return () => {
          count(-1);
          leave();
        };
      };
    },
  });
}

test.each(["while its session is read", "after it was greeted"])(
  "a client that leaves %s leaves no listener at the session",
  async (when) => {
    await using store = await openStore("memory:");
    const host = new LiveHost({ store, report: () => undefined });
    const service = await host.stored();
    const { sessionId } = await service.open("tab/1", { videoId: "v" });
    const read = Promise.withResolvers<void>();
    let [listeners, asked, left] = [0, 0, 0];
    const slow = new Proxy(service, {
      get(target, name) {
        if (name === "follow") {
          return async (id: string) => {
            asked += 1;
            const follower = await target.follow(id);
            await read.promise;
            return counted(follower, (change) => {
              listeners += change;
            });
          };
        }
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const socket = new QuietSocket();
    const connection = new LiveConnection({
      socket: socket as unknown as WebSocket,
      report: (line) => expect.fail(line),
      onRefused: (error) => expect.fail(String(error)),
      join: async () => ({ service: slow, sessionId, place: { [Symbol.dispose]: () => void left++ } }),
    });
    socket.emit("message", JSON.stringify({ type: "hello", after: 0 }), false);
    await vi.waitFor(() => expect(asked).toBe(1));
    if (when.startsWith("while")) socket.leave();
    read.resolve();
    if (when.startsWith("after")) {
      await vi.waitFor(() => expect(socket.sent).toContain("ready"));
      expect(listeners).toBe(3);
      socket.leave();
    }
    await connection.closed;
    await new Promise((resolve) => setImmediate(resolve));
    expect([listeners, left]).toEqual([0, 1]);
    await host.stop();
  },
);

test.each([
  ["the same session goes on after the sequence that the client names", "same", false],
  ["another session than the one that the client knows is sent from its beginning", "another", true],
])("%s", async (_, known, isSent) => {
  await using store = await openStore("memory:");
  const host = new LiveHost({ store, report: () => undefined });
  const service = await host.stored();
  const { sessionId } = await service.open("tab/1", { videoId: "v" });
  const evidence = [{ type: "transcript_added", text: "a sentence", mediaTimeMs: 0 }] as const;
  await service.accept("tab/1", { producerId: "page", epoch: 0, sequence: 0, evidence });
  const after = await store.latestSequence(sessionId);
  const socket = new QuietSocket();
  const connection = new LiveConnection({
    socket: socket as unknown as WebSocket,
    report: (line) => expect.fail(line),
    onRefused: (error) => expect.fail(String(error)),
    join: async () => ({ service, sessionId, place: { [Symbol.dispose]: () => undefined } }),
  });
  const hello = { type: "hello", after, sessionId: known === "same" ? sessionId : known };
  socket.emit("message", JSON.stringify(hello), false);
  await vi.waitFor(() => expect(socket.sent).toContain("ready"));
  const beforeReady = socket.sent.slice(0, socket.sent.indexOf("ready"));
  expect(beforeReady.includes("event")).toBe(isSent);
  socket.leave();
  await connection.closed;
  await host.stop();
});
