/** What goes to one reader: as fast as it reads, and never more than a limit ahead of it. */

import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { StoredEvent } from "../../model/index.ts";
import { CLOSE, type ServerFrame, toWireEvent } from "../../wire/index.ts";
import type { SlowReaders } from "../context/index.ts";
import { LIMITS } from "./limits.ts";
import { toTextFrame } from "./text-frame.ts";

interface Frame {
  readonly after: number;
  readonly bytes: Buffer;
}

/** A frame is made once for all readers of this process who come from the same event, as nearly all do. */
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
  /** What the socket writes to. */
  readonly stream: Duplex;
  readonly slowReaders: SlowReaders;
}

export class Outgoing {
  readonly #socket: WebSocket;
  readonly #stream: Duplex;
  readonly #slow: SlowReaders;

  constructor({ socket, stream, slowReaders }: OutgoingOptions) {
    this.#socket = socket;
    this.#stream = stream;
    this.#slow = slowReaders;
  }

  /** Too much waits for a reader that does not read. */
  get isFull(): boolean {
    return this.#stream.writableLength > LIMITS.waitingBytes;
  }

  send(frame: ServerFrame): void {
    if (this.#isOpen) this.#socket.send(JSON.stringify(frame));
  }

  /**
   * Past `ws`, which would make a header and two writes for each of a thousand readers. Nothing of it can wait behind
   * `ws`: without compression that one writes at once, and after a close frame the socket is not open.
   */
  event(after: number, event: StoredEvent): void {
    if (this.#isOpen) this.#stream.write(frameOf(after, event));
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Resolves when the reader has read what waited; `false` when it did not in time, or left. */
  async room(signal: AbortSignal): Promise<boolean> {
    const deadline = performance.now() + this.#slow.stalledMs;
    while (this.isFull) {
      const leftMs = deadline - performance.now();
      if (signal.aborted || leftMs <= 0) return false;
      await this.#drained(leftMs, signal);
    }
    return true;
  }

  /** Tells the reader where to continue, and disconnects it if it does not read that either. */
  catchUp(after: number): void {
    this.send({ type: "catch_up", after });
    this.end(CLOSE.slow, "catch up");
  }

  end(code: number, reason: string): void {
    this.#socket.close(code, reason);
    setTimeout(() => this.#socket.terminate(), this.#slow.goodbyeMs).unref();
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
