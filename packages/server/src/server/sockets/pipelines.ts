/** Limits the requests that a client sends on one connection before the earlier ones are answered. */

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { LIMITS } from "../context/index.ts";

/**
 * The HTTP parser passes on all requests in a megabyte of input in one turn of the event loop, so one client could
 * block the server for everybody. A connection with too many unanswered requests is closed.
 */
export class Pipelines {
  readonly #unanswered = new WeakMap<Socket, number>();
  readonly #most: number;

  constructor(most: number = LIMITS.pipelinedRequests) {
    this.#most = most;
  }

  /** Counts a request until its response is closed. `false` if the connection is closed or has too many requests. */
  take(socket: Socket, response: ServerResponse): boolean {
    // A request that the parser had read before the connection was closed still arrives.
    if (socket.destroyed) return false;
    const count = (this.#unanswered.get(socket) ?? 0) + 1;
    if (count > this.#most) {
      socket.destroy();
      return false;
    }
    this.#unanswered.set(socket, count);
    response.once("close", () => this.#unanswered.set(socket, (this.#unanswered.get(socket) ?? 1) - 1));
    return true;
  }
}
