import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { WebSocket } from "ws";
import { Connection, type ConnectionOptions } from "./connection.ts";

/** A socket without a network: it only remembers what was sent. */
class QuietSocket extends EventEmitter {
  readonly OPEN = 1;
  readonly readyState = 1;
  readonly isPaused = false;
  readonly sent: string[] = [];
  state: "open" | "ended" = "open";

  send(text: string): void {
    this.sent.push((JSON.parse(text) as { readonly type: string }).type);
  }

  terminate(): void {
    this.state = "ended";
  }
}

test("a client whose hello takes long receives heartbeats, and its connection is kept", () => {
  const socket = new QuietSocket();
  const connection = new Connection({
    socket: socket as unknown as WebSocket,
    stream: new PassThrough(),
    clock: { now: () => 0 },
    admit: () => new Promise<never>(() => undefined),
    report: () => undefined,
  } as unknown as ConnectionOptions);
  const hello = { type: "hello", protocol: 1, instance: "i", after: 0 };
  socket.emit("message", Buffer.from(JSON.stringify(hello)), false);
  return Promise.resolve()
    .then(() => undefined)
    .then(() => {
      for (let beat = 0; beat < 20; beat++) connection.beat();
      expect(socket.sent).toEqual(Array(20).fill("heartbeat"));
      expect(socket.state).toBe("open");
    });
});

test("a client that leaves during its hello causes no failure of the channel", async () => {
  const socket = new QuietSocket();
  const reports: string[] = [];
  const connection = new Connection({
    socket: socket as unknown as WebSocket,
    stream: new PassThrough(),
    clock: { now: () => 0 },
    admit: (_: unknown, { signal }: { readonly signal: AbortSignal }) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason as Error)),
      ),
    report: (line: string) => reports.push(line),
  } as unknown as ConnectionOptions);
  const hello = { type: "hello", protocol: 1, instance: "i", after: 0 };
  socket.emit("message", Buffer.from(JSON.stringify(hello)), false);
  await new Promise((resolve) => setImmediate(resolve));
  socket.emit("close");
  await connection.closed;
  expect([reports, socket.sent]).toEqual([[], []]);
});
