/** Finds answers that the client does not read. Their unsent bytes stay in memory, so their connections are closed. */

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

interface Progress {
  /** Bytes that the socket has not sent. */
  left: number;
  /** The number of checks since bytes were last sent. */
  idleLooks: number;
}

export class UnreadAnswers {
  readonly #open = new Map<ServerResponse, Progress>();
  readonly #mostIdleLooks: number;
  readonly #timer: NodeJS.Timeout;

  /** @param stalledMs the time for which a client may read nothing, even if it sends requests */
  constructor(stalledMs: number) {
    const lookMs = Math.min(LOOK_MS, stalledMs / 4);
    // Counts checks and not time: if this process does not run for a while, that is not the fault of the clients.
    this.#mostIdleLooks = Math.ceil(stalledMs / lookMs);
    this.#timer = setInterval(() => this.#look(), lookMs).unref();
  }

  /** Watches the answer until it is sent. A client that reads slowly keeps its connection. */
  watch(response: ServerResponse): void {
    this.#open.set(response, { left: 0, idleLooks: 0 });
    response.once("close", () => this.#open.delete(response));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    for (const [{ socket }, progress] of this.#open) {
      const left = socket === null ? 0 : unsentBytes(socket);
      if (left !== progress.left || left === 0) {
        progress.left = left;
        progress.idleLooks = 0;
      } else if (++progress.idleLooks >= this.#mostIdleLooks) socket?.destroy();
    }
  }
}

const LOOK_MS = 1_000;

/** `writableLength` changes only when a whole chunk was sent; the handle knows how much of the chunk was sent. */
function unsentBytes(socket: Socket): number {
  const { _handle: handle } = socket as { readonly _handle?: { readonly writeQueueSize?: number } | null };
  return socket.writableLength + (handle?.writeQueueSize ?? 0);
}
