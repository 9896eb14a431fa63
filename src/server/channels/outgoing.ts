/** What goes to one reader: as fast as it reads, and never more than a limit ahead of it. */

import type { WebSocket } from "ws";
import type { StoredEvent } from "../../model/index.ts";
import { CLOSE, type ServerFrame, toWireEvent } from "../../wire/index.ts";
import type { SlowReaders } from "../context/index.ts";
import { LIMITS } from "./limits.ts";

interface Frame {
  readonly after: number;
  readonly bytes: Buffer;
}

/** A frame is written once for all readers of this process who come from the same event, as nearly all do. */
const FRAMES = new WeakMap<StoredEvent, Frame>();

function frameOf(after: number, event: StoredEvent): Buffer {
  const known = FRAMES.get(event);
  if (known?.after === after) return known.bytes;
  const text = `{"type":"event","after":${after},"event":${JSON.stringify(toWireEvent(event))}}`;
  const bytes = Buffer.from(text);
  FRAMES.set(event, { after, bytes });
  return bytes;
}

/** Frames are text, also where their bytes are given. */
const TEXT = { binary: false } as const;

export class Outgoing {
  readonly #socket: WebSocket;
  readonly #slow: SlowReaders;
  #waiting = 0;
  #wake: (() => void) | null = null;

  constructor(socket: WebSocket, slow: SlowReaders) {
    this.#socket = socket;
    this.#slow = slow;
  }

  /** Too much waits for a reader that does not read. */
  get isFull(): boolean {
    return this.#waiting > LIMITS.waitingBytes;
  }

  send(frame: ServerFrame): void {
    this.#write(JSON.stringify(frame));
  }

  event(after: number, event: StoredEvent): void {
    this.#write(frameOf(after, event));
  }

  /** Resolves when the reader has read enough; `false` when it did not in time, or left. */
  async room(signal: AbortSignal): Promise<boolean> {
    if (this.#waiting <= LIMITS.waitingBytes) return true;
    const deadline = performance.now() + this.#slow.stalledMs;
    while (this.#waiting > LIMITS.enoughBytes) {
      const leftMs = deadline - performance.now();
      if (signal.aborted || leftMs <= 0) return false;
      await this.#change(leftMs, signal);
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

  #write(frame: string | Buffer): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#waiting += frame.length;
    this.#socket.send(frame, TEXT, () => {
      this.#waiting -= frame.length;
      if (this.#waiting <= LIMITS.enoughBytes) this.#wake?.();
    });
  }

  #change(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        this.#wake = null;
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#wake = done;
      signal.addEventListener("abort", done, { once: true });
    });
  }
}
