/**
 * Processes the frames of one connection one after another, so that the writes of a participant are stored in their
 * order. Whole messages that wait for one another are taken together, so that they can share a commit.
 */

import { setImmediate as othersTurn } from "node:timers/promises";
import type { WebSocket } from "ws";
import { LIMITS } from "./limits.ts";
import type { PlainSend } from "./requests.ts";

export interface QueuedSend {
  readonly frame: PlainSend;
  /** The length of the frame, in UTF-8 bytes. */
  readonly bytes: number;
}

interface QueueOptions {
  /** Called after each frame, or after sends that were taken together. */
  readonly after: () => Promise<void>;
}

export class FrameQueue {
  readonly #socket: WebSocket;
  readonly #options: QueueOptions;
  #work: Promise<void> = Promise.resolve();
  /** Sends that wait at the end of the queue. */
  #sends: QueuedSend[] | null = null;
  #waitingBytes = 0;
  #turnEndsAt = 0;
  /** The number of frames that wait or are being processed. */
  waiting = 0;

  constructor(socket: WebSocket, options: QueueOptions) {
    this.#socket = socket;
    this.#options = options;
  }

  add(bytes: number, work: () => Promise<void>): void {
    this.#sends = null;
    this.#add([{ bytes }], work);
  }

  /** @param take called once for all frames that are taken together */
  addSend(send: QueuedSend, take: (sends: readonly QueuedSend[]) => Promise<void>): void {
    if (this.#sends !== null && this.#sends.length < LIMITS.sendsTogether) {
      this.#sends.push(send);
      this.#count(send.bytes);
      return;
    }
    const sends = [send];
    this.#sends = sends;
    this.#add(sends, async () => {
      // Later frames are no longer taken together with these.
      if (this.#sends === sends) this.#sends = null;
      await take(sends);
    });
  }

  /** Resolves when everything before this frame, and the frame itself, was processed. */
  end(work: () => Promise<void>): Promise<void> {
    this.#sends = null;
    this.#work = this.#work.then(work);
    return this.#work;
  }

  #add(heard: readonly { readonly bytes: number }[], work: () => Promise<void>): void {
    for (const { bytes } of heard) this.#count(bytes);
    this.#work = this.#work.then(async () => {
      await work();
      await this.#options.after();
      await this.#giveWay();
      this.waiting -= heard.length;
      for (const { bytes } of heard) this.#waitingBytes -= bytes;
      const hasRoom =
        this.waiting <= LIMITS.waitingFrames / 2 && this.#waitingBytes <= LIMITS.waitingFrameBytes / 2;
      if (hasRoom && this.#socket.isPaused) this.#socket.resume();
    });
  }

  #count(bytes: number): void {
    this.waiting++;
    this.#waitingBytes += bytes;
    const isFull = this.waiting > LIMITS.waitingFrames || this.#waitingBytes > LIMITS.waitingFrameBytes;
    if (isFull) this.#socket.pause();
  }

  /** Frames that wait for nothing would otherwise all be processed in one turn of the event loop. */
  async #giveWay(): Promise<void> {
    if (performance.now() < this.#turnEndsAt) return;
    await othersTurn();
    this.#turnEndsAt = performance.now() + LIMITS.turnMs;
  }
}
