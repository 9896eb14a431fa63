/** A server of channels that sends and does only what a case requests, so that it can break every promise. */

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { ContinuoError } from "@continuo/core/model";
import { CHANNEL_LIMITS, SUBPROTOCOL } from "@continuo/core/wire";
import type { WebSocket } from "ws";

export type Frame = Readonly<Record<string, unknown>>;

/** The longest time for anything that a client must do: a machine that runs tests may be slow. */
const PATIENCE_MS = 60_000;

/** One connection of the client. */
export class Peer {
  readonly url: string;
  readonly subprotocols: string;
  readonly openedAt: number = performance.now();
  /** The close code; 1006 for a connection that was cut. */
  readonly closed: Promise<number>;
  readonly socket: WebSocket;
  /** The stream below the connection. */
  readonly stream: Duplex;
  /** The received frames without heartbeats. */
  readonly frames: Frame[] = [];
  /** The time of each heartbeat. */
  readonly beats: number[] = [];
  #read = 0;
  #wake: () => void = () => undefined;
  #timer: NodeJS.Timeout;

  constructor(
    socket: WebSocket,
    stream: Duplex,
    request: { readonly url: string; readonly subprotocols: string },
  ) {
    this.url = request.url;
    this.subprotocols = request.subprotocols;
    this.socket = socket;
    this.stream = stream;
    const { promise, resolve } = Promise.withResolvers<number>();
    this.closed = promise;
    socket.on("message", (data) => this.#receive(JSON.parse(String(data)) as Frame));
    socket.on("error", () => undefined);
    socket.on("close", (code) => {
      clearInterval(this.#timer);
      resolve(code);
      this.#wake();
    });
    this.#timer = setInterval(() => this.send({ type: "heartbeat" }), CHANNEL_LIMITS.heartbeatMs);
  }

  #receive(frame: Frame): void {
    if (frame.type === "heartbeat") this.beats.push(performance.now());
    else this.frames.push(frame);
    this.#wake();
  }

  /** Stops sending heartbeats. */
  mute(): void {
    clearInterval(this.#timer);
  }

  send(frame: Frame): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(JSON.stringify(frame));
  }

  /** The next frame of the type; earlier frames are skipped. */
  async next(type: string): Promise<Frame> {
    return withPatience(`a frame ${type} of the client`, async () => {
      for (;;) {
        const at = this.frames.findIndex((frame, index) => index >= this.#read && frame.type === type);
        const frame = this.frames[at];
        if (frame !== undefined) {
          this.#read = at + 1;
          return frame;
        }
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    });
  }

  /** Waits for the `hello` and answers it. */
  async welcome(more: Frame = {}): Promise<Frame> {
    const hello = await this.next("hello");
    const after = typeof hello.after === "number" ? hello.after : 0;
    this.send({
      type: "hello",
      protocol: 1,
      workspaceId: "default",
      channel: "team",
      handle: hello.handle ?? null,
      latestSequence: after,
      after,
      session: null,
      degraded: null,
      ...more,
    });
    return hello;
  }

  /** Sends a message with this sequence after the previous one. */
  event(sequence: number, after: number = sequence - 1, more: Frame = {}): void {
    this.send(eventFrame(sequence, after, more));
  }

  ready(sequence: number): void {
    this.send({ type: "ready", sequence, roster: [] });
  }

  /** Ends the connection like a broken network. */
  cut(): void {
    this.stream.destroy();
  }
}

export function eventFrame(sequence: number, after: number, more: Frame = {}): Frame {
  const time = "2026-11-25T12:00:00.000Z";
  const data = { messageId: `e-${sequence}`, content: contentOf(sequence) };
  const event = { sequence, id: `e-${sequence}`, type: "message_sent", actor: { kind: "person", id: "ann" } };
  return {
    type: "event",
    after,
    event: { ...event, occurredAt: time, recordedAt: time, retention: "critical", data, ...more },
  };
}

function contentOf(sequence: number): string {
  return `message ${sequence}`;
}

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  /** The number of connections so far. */
  readonly count: number;
  /** The next connection of the client. */
  connection(): Promise<Peer>;
}

/** Only programs that test a client of channels install `ws`. Errors: `unsupported` without it. */
async function loadWebSockets(): Promise<typeof import("ws")> {
  try {
    return await import("ws");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new ContinuoError(
      "unsupported",
      "the contract of a client needs the package ws, which is not installed",
      { hint: "Install it: `npm install ws`.", cause },
    );
  }
}

/** Errors: `unsupported` if the package `ws` is not installed. */
export async function openScriptedServer(): Promise<ScriptedServer> {
  const { WebSocketServer } = await loadWebSockets();
  const http: Server = createServer((_request, response) => response.end("ok\n"));
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    handleProtocols: (given) => (given.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });
  const peers: Peer[] = [];
  let taken = 0;
  let wake: () => void = () => undefined;
  http.on("upgrade", (request, stream, head) => {
    sockets.handleUpgrade(request, stream, head, (socket) => {
      const subprotocols = request.headers["sec-websocket-protocol"] ?? "";
      peers.push(new Peer(socket, stream, { url: request.url ?? "", subprotocols }));
      wake();
    });
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    get count() {
      return peers.length;
    },
    connection: () =>
      withPatience("a connection of the client", async () => {
        for (;;) {
          const peer = peers[taken];
          if (peer !== undefined) {
            taken++;
            return peer;
          }
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }),
    [Symbol.asyncDispose]: async () => {
      for (const peer of peers) {
        peer.mute();
        peer.cut();
      }
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

/** Fails if the work takes longer than `PATIENCE_MS`. */
export async function withPatience<T>(what: string, work: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`${what} did not come within ${PATIENCE_MS} ms`)),
    PATIENCE_MS,
  );
  try {
    return await Promise.race([work(), promise]);
  } finally {
    clearTimeout(timer);
  }
}
