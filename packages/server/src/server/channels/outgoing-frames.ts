/** Sends frames to one reader as fast as the reader reads. The number of bytes that wait to be sent has a limit. */

import type { Duplex } from "node:stream";
import type { StoredEvent } from "@continuo/core/model";
import { CLOSE, type ServerFrame, toWireEvent } from "@continuo/core/wire";
import type { WebSocket } from "ws";
import type { SlowReaders } from "../context/index.ts";
import { LIMITS } from "./limits.ts";
import { toTextFrame } from "./text-frame.ts";

interface Frame {
  readonly after: number;
  readonly bytes: Buffer;
}

/** A frame is made once for all readers of this process that received the same previous event: nearly all of them. */
const FRAMES = new WeakMap<StoredEvent, Frame>();

function frameOf(after: number, event: StoredEvent): Buffer {
  const known = FRAMES.get(event);
  if (known?.after === after) return known.bytes;
  const text = `{"type":"event","after":${after},"event":${JSON.stringify(toWireEvent(event))}}`;
  const bytes = toTextFrame(text);
  FRAMES.set(event, { after, bytes });
  return bytes;
}

export interface OutgoingOptions {
  readonly socket: WebSocket;
  /** The stream under the socket. */
  readonly stream: Duplex;
  readonly slowReaders: SlowReaders;
}

export class OutgoingFrames {
  readonly #socket: WebSocket;
  readonly #stream: Duplex;
  readonly #slow: SlowReaders;

  constructor({ socket, stream, slowReaders }: OutgoingOptions) {
    this.#socket = socket;
    this.#stream = stream;
    this.#slow = slowReaders;
  }

  /** True if more bytes wait than the limit allows. */
  get isFull(): boolean {
    return this.#stream.writableLength > LIMITS.waitingBytes;
  }

  send(frame: ServerFrame): void {
    if (this.#isOpen) this.#socket.send(JSON.stringify(frame));
  }

  /**
   * Writes to the stream directly, because `ws` would make a header and two writes for each reader, of which there may
   * be a thousand. The order of frames does not change: without compression `ws` writes immediately, and nothing is
   * written after a close frame, because the socket is not open.
   */
  event(after: number, event: StoredEvent): void {
    if (this.#isOpen) this.#stream.write(frameOf(after, event));
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Waits until the reader has read the waiting bytes. Returns `false` if it was too slow, or disconnected. */
  async room(signal: AbortSignal): Promise<boolean> {
    const deadline = performance.now() + this.#slow.stalledMs;
    while (this.isFull) {
      const leftMs = deadline - performance.now();
      if (signal.aborted || leftMs <= 0) return false;
      await this.#drained(leftMs, signal);
    }
    return true;
  }

  /** Sends the sequence from which the reader can continue, and ends the connection, even if it reads nothing. */
  catchUp(after: number): void {
    this.send({ type: "catch_up", after });
    this.end(CLOSE.slow, "catch up");
  }

  end(code: number, reason: string, goodbyeMs: number = this.#slow.goodbyeMs): void {
    this.#socket.close(code, reason);
    setTimeout(() => this.#socket.terminate(), goodbyeMs).unref();
  }

  #drained(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        this.#stream.removeListener("drain", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#stream.once("drain", done);
      signal.addEventListener("abort", done, { once: true });
    });
  }
}
