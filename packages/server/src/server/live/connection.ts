/** One WebSocket of a continuous session: replay, `ready`, and live events, at the reader's pace. */

import { ContinuoError, isContinuoError, type Store, type StoredEvent } from "@continuo/core/model";
import {
  CLOSE,
  LIVE_FEED_TYPES,
  type LiveClientFrame,
  type LiveServerFrame,
  parseLiveClientFrame,
  recordOf,
  toHashedWireEvent,
  toWireError,
} from "@continuo/core/wire";
import { type Follower, type LiveService, stateOf } from "@continuo/live";
import type { WebSocket } from "ws";
import { LIMITS as SERVER_LIMITS } from "../context/index.ts";
import { LIMITS } from "./limits.ts";

type Hello = Extract<LiveClientFrame, { readonly type: "hello" }>;

export interface LiveMembership {
  readonly service: LiveService;
  readonly sessionId: string;
  /** The place in the token's quota. */
  readonly place: Disposable;
}

export interface LiveConnectionOptions {
  readonly socket: WebSocket;
  readonly report: (line: string) => void;
  /** Called with each error that a frame is answered with. */
  readonly onRefused: (error: unknown) => void;
  /** Errors: `unauthorized`, `forbidden`, `not_found`, `rate_limited`. */
  readonly join: (hello: Hello) => Promise<LiveMembership>;
}

export class LiveConnection {
  readonly #options: LiveConnectionOptions;
  readonly #socket: WebSocket;
  readonly #over = new AbortController();
  #state: "new" | "open" = "new";
  #heardAtMs = performance.now();
  readonly closed: Promise<void>;

  constructor(options: LiveConnectionOptions) {
    this.#options = options;
    this.#socket = options.socket;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    this.#socket.on("message", (data, isBinary) => this.#receive(isBinary ? "" : data.toString()));
    this.#socket.on("ping", (data) => {
      // Pongs that nobody reads would fill the memory.
      if (this.#socket.bufferedAmount <= LIMITS.waitingBytes) this.#socket.pong(data);
    });
    // The close event that follows has the reason.
    this.#socket.on("error", () => undefined);
    this.#socket.on("close", () => {
      this.#over.abort();
      resolve();
    });
  }

  beat(): void {
    if (performance.now() - this.#heardAtMs > LIMITS.silenceMs) {
      this.#socket.terminate();
      return;
    }
    this.#send({ type: "heartbeat" });
  }

  /** Called when the token of the connection is no longer valid: nothing more is read from it, and it ends. */
  lose(error: ContinuoError): void {
    this.#socket.removeAllListeners("message");
    this.#send({ type: "error", error: toWireError(error).error });
    this.#end(CLOSE.refused, SERVER_LIMITS.lostMs);
  }

  drain(): void {
    this.#send({ type: "bye", retryMs: SERVER_LIMITS.retryMs });
    this.#end(CLOSE.draining);
  }

  #receive(text: string): void {
    // The time to say hello is not extended.
    if (this.#state === "open") this.#heardAtMs = performance.now();
    const frame = parseLiveClientFrame(text);
    if (frame === null || (frame.type === "hello" && this.#state === "open")) {
      this.#refuse(new ContinuoError("invalid", "this is no frame of a continuous session"), CLOSE.protocol);
    } else if (frame.type === "hello") {
      this.#state = "open";
      this.#serve(frame).catch((error: unknown) => {
        if (!this.#over.signal.aborted) this.#refuse(error, CLOSE.refused);
      });
    }
  }

  async #serve(hello: Hello): Promise<void> {
    const { service, sessionId, place } = await this.#options.join(hello);
    const leave: (() => void)[] = [() => place[Symbol.dispose]()];
    this.#over.signal.addEventListener("abort", () => {
      for (const one of leave) one();
    });
    if (this.#over.signal.aborted) return place[Symbol.dispose]();
    const follower = await service.follow(sessionId);
    // Listeners that are added after the end of the connection would stay forever.
    if (this.#over.signal.aborted) return;
    const latestSequence = follower.fold.sequence;
    this.#send({ type: "hello", sessionId, state: stateOf(follower), latestSequence });
    this.#sendLevel(follower);
    leave.push(follower.onFault((reason) => this.#send({ type: "degraded", reason })));
    leave.push(follower.onEvent((event) => this.#onEvent(event, follower)));
    leave.push(follower.onAnew(() => this.drain()));
    const { degradedReason } = follower.fold.health;
    if (follower.fault === null && degradedReason !== null)
      this.#send({ type: "degraded", reason: degradedReason });
    const { videoId } = follower.fold;
    leave.push(service.frames.watch(videoId, (blobs) => this.#send({ type: "purge_warning", blobs })));
    const after = hello.sessionId === undefined || hello.sessionId === sessionId ? (hello.after ?? 0) : 0;
    await this.#pump(service.soundStore, { sessionId, after, latestSequence });
  }

  async #pump(
    store: Store,
    { sessionId, after, latestSequence }: { sessionId: string; after: number; latestSequence: number },
  ): Promise<void> {
    const { signal } = this.#over;
    let isReady = false;
    const ready = (): void => {
      if (isReady) return;
      isReady = true;
      this.#send({ type: "ready", sequence: latestSequence });
    };
    if (after >= latestSequence) ready();
    for await (const event of store.tail(sessionId, { after, signal })) {
      if (LIVE_FEED_TYPES.includes(event.type))
        this.#send({ type: "event", event: toHashedWireEvent(event) });
      if (event.sequence >= latestSequence) ready();
      if (!(await this.#room())) return this.#end(CLOSE.slow);
    }
    // The session ended: its client opens the next one.
    if (!signal.aborted)
      throw new ContinuoError("log_closed", "the session ended", { details: { sessionId } });
  }

  /** Sends frames that every client gets in addition to the event. */
  #onEvent(event: StoredEvent, follower: Follower): void {
    const data = recordOf(event.data);
    if (event.type === "session_state_changed") {
      this.#sendLevel(follower);
      // When a server starts, it repeats the state without a new reason.
      if (data.state === "degraded" && data.restart !== true)
        this.#send({ type: "degraded", reason: String(data.reason ?? "unknown") });
    } else if (event.type === "context_requested") {
      const question = typeof data.question === "string" ? data.question : null;
      const { requestId, draftId } = data;
      this.#send({
        type: "context_request",
        requestId: String(requestId),
        draftId: String(draftId),
        question,
      });
    }
  }

  #sendLevel(follower: Follower): void {
    const { level, depth, restarts, state } = follower.view();
    this.#send({ type: "backpressure", level, depth, restarts, state });
  }

  #send(frame: LiveServerFrame): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  /** Waits for a slow reader; `false` for one that does not read at all. */
  async #room(): Promise<boolean> {
    const until = performance.now() + LIMITS.stalledMs;
    while (this.#socket.bufferedAmount > LIMITS.waitingBytes) {
      if (this.#over.signal.aborted || performance.now() > until) return false;
      await new Promise((resolve) => setTimeout(resolve, LIMITS.pauseMs));
    }
    return true;
  }

  #refuse(error: unknown, code: number): void {
    this.#options.onRefused(error);
    if (!isContinuoError(error)) this.#options.report(`live: a connection failed: ${String(error)}`);
    this.#send({ type: "error", error: toWireError(error).error });
    this.#end(code);
  }

  #end(code: number, goodbyeMs: number = SERVER_LIMITS.retryMs): void {
    this.#socket.close(code);
    setTimeout(() => this.#socket.terminate(), goodbyeMs).unref();
  }
}
