/**
 * One connection to a channel, over any number of sockets: it connects again with growing pauses, sends again what was
 * not confirmed, and closes a socket that receives nothing any more.
 */

import { ContinuoError, isContinuoError } from "../model/index.ts";
import {
  CHANNEL_LIMITS,
  CLOSE,
  type ClientFrame,
  errorFromWire,
  FINAL_CODES,
  type HelloFrame,
  PROTOCOL_VERSION,
  parseServerFrame,
  type RequestFrame,
  type ServerFrame,
  SUBPROTOCOL,
} from "../wire/index.ts";
import { type ClientOptions, isFinalFailure, tokenFor } from "./client-options.ts";
import { HandleWait } from "./handle-wait.ts";
import { LIMITS } from "./limits.ts";
import { backOffMs, CHECK_SERVER, OBSTACLE_TRIES, obstacleAt } from "./requests/index.ts";

/** A request without its number. */
export type Request = RequestFrame extends infer Frame
  ? Frame extends RequestFrame
    ? Omit<Frame, "request">
    : never
  : never;

/** A request that is an event of its own, without the id of the event. */
export type Change = Request extends infer Frame
  ? Frame extends { readonly id: string }
    ? Omit<Frame, "id">
    : never
  : never;

export interface LinkOptions
  extends Pick<
    ClientOptions,
    "url" | "openSocket" | "token" | "reconnect" | "firstConnectionMs" | "warn" | "onWaiting"
  > {
  /** Called for each connection. If it fails, the connection is tried again. */
  readonly hello: (token: string | undefined) => Promise<Omit<HelloFrame, "type" | "protocol" | "token">>;
  readonly onFrame: (frame: ServerFrame) => void;
  /** Called when a connection that worked is lost. */
  readonly onLost: () => void;
  /** Called once when the link has ended, with `null` if `close()` ended it. */
  readonly onEnd: (error: ContinuoError | null) => void;
}

interface PendingRequest {
  /** The frame as JSON. */
  readonly text: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class Link {
  readonly #options: LinkOptions;
  readonly #pending = new Map<number, PendingRequest>();
  #socket: WebSocket | null = null;
  #state: "connecting" | "greeted" | "ended" = "connecting";
  #everReady = false;
  #everHeard = false;
  #leaving = false;
  #requests = 0;
  #tries = 0;
  #heardAt = 0;
  #beat: ReturnType<typeof setInterval> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  /** The pause that the server asked for. */
  #retryMs = 0;
  #refusal: ContinuoError | null = null;
  /** The token of the last hello. */
  #token: string | undefined;
  /** The refusal of that token, until the server accepts another one. */
  #refused: ContinuoError | null = null;
  /** The reason that the server gave for its last refusal; another try may succeed. */
  #obstacle: ContinuoError | null = null;
  readonly #handleWait = new HandleWait();
  #warnedOf: string | null = null;
  /** Consecutive tries that met an obstacle before the server sent anything. */
  #met = 0;
  readonly #startedAt: number = performance.now();
  #onQuiet: (() => void) | null = null;
  #closing: Promise<void> | null = null;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#open();
  }

  /**
   * Sends the request as soon as there is a connection, and again after a lost one.
   * Errors: those of the server; `busy`, `too_large`, `unavailable`.
   */
  request(request: Request): Promise<unknown> {
    if (this.#state === "ended") return Promise.reject(over());
    if (this.#pending.size >= LIMITS.pendingRequests) {
      return Promise.reject(
        new ContinuoError("busy", "too many writes wait for the server", {
          hint: "Wait for the promises of earlier writes.",
          details: { limit: LIMITS.pendingRequests },
        }),
      );
    }
    const number = ++this.#requests;
    const text = JSON.stringify({ ...request, request: number });
    if (isLonger(text, CHANNEL_LIMITS.frameBytes)) return Promise.reject(tooLarge());
    return new Promise((resolve, reject) => {
      this.#pending.set(number, { text, resolve, reject });
      if (this.#state === "greeted") this.#write(text);
    });
  }

  /** Sends the frame only if there is a connection now. */
  tell(frame: Extract<ClientFrame, { readonly type: "pause" | "resume" }>): void {
    if (this.#state === "greeted") this.#send(frame);
  }

  /** Waits at most `closeMs` until every request is confirmed, and then leaves. Each call returns the same promise. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#state === "ended") return;
    const confirmed = new Promise<void>((resolve) => {
      this.#onQuiet = resolve;
    });
    if (this.#pending.size > 0) {
      const timer = setTimeout(() => this.#onQuiet?.(), LIMITS.closeMs);
      await confirmed;
      clearTimeout(timer);
    }
    // The server frees the handle before it ends the socket, so that a client that connects afterwards can take it.
    const socket = this.#state === "greeted" ? this.#socket : null;
    this.#leaving = true;
    this.#send({ type: "close" });
    if (socket !== null) await closed(socket);
    this.#end(null);
  }

  #open(): void {
    this.#state = "connecting";
    let socket: WebSocket;
    try {
      const { url, openSocket = toSocket } = this.#options;
      socket = openSocket(url, SUBPROTOCOL);
    } catch (cause) {
      const error = new ContinuoError("invalid", "the given text is not the URL of a server", { cause });
      queueMicrotask(() => this.#end(error));
      return;
    }
    this.#socket = socket;
    this.#heardAt = performance.now();
    this.#reportHeldFirst(socket);
    socket.onopen = () => void this.#sayHello(socket);
    socket.onmessage = ({ data }) => {
      if (socket === this.#socket) this.#receive(data);
    };
    // The close that follows gives the reason.
    socket.onerror = () => undefined;
    socket.onclose = ({ code }) => {
      if (socket !== this.#socket) return;
      if (code === CLOSE.tooLarge) this.#dropLongest();
      this.#lost();
    };
    clearInterval(this.#beat);
    this.#beat = setInterval(() => this.#check(), CHANNEL_LIMITS.heartbeatMs);
  }

  async #sayHello(socket: WebSocket): Promise<void> {
    try {
      const token = await tokenFor(this.#options);
      if (this.#refused !== null && token === this.#token) throw this.#refused;
      const hello = await this.#options.hello(token);
      if (socket !== this.#socket) return;
      this.#token = token;
      // A token that is undefined is no part of the text.
      this.#write(JSON.stringify({ type: "hello", protocol: PROTOCOL_VERSION, token, ...hello }));
    } catch (cause) {
      const error = isContinuoError(cause) ? cause : notPrepared(cause);
      if (error === this.#refused || isFinalFailure(error.cause)) return this.#end(error);
      // The socket is open, so no obstacle on the way to the server is the reason.
      this.#everHeard = true;
      this.#obstacle = error;
      socket.close();
    }
  }

  /**
   * Finds a proxy that delays the upgrade, before the time limit of a silent connection is over. The socket stays
   * open, because browsers also delay a connection after others that failed.
   */
  #reportHeldFirst(socket: WebSocket): void {
    if (this.#everHeard || this.#tries > 0) return;
    const timer = setTimeout(async () => {
      const obstacle = await obstacleAt(this.#options.url);
      if (obstacle === null || socket !== this.#socket || socket.readyState !== 0) return;
      this.#obstacle = obstacle;
      this.#warnOfTries();
    }, LIMITS.firstAnswerMs);
    for (const end of ["open", "close"]) socket.addEventListener(end, () => clearTimeout(timer));
  }

  #check(): void {
    if (performance.now() - this.#heardAt > CHANNEL_LIMITS.silenceMs) {
      const socket = this.#socket;
      this.#lost();
      socket?.close();
      return;
    }
    if (this.#state === "greeted") this.#send({ type: "heartbeat" });
  }

  #receive(data: unknown): void {
    this.#heardAt = performance.now();
    this.#everHeard = true;
    if (typeof data !== "string") return;
    let frame: ServerFrame | null;
    try {
      frame = parseServerFrame(data);
    } catch {
      // The server does not speak this protocol, or is broken: a new connection starts from the beginning.
      this.#socket?.close(CLOSE.protocol);
      return;
    }
    if (frame !== null) this.#take(frame);
  }

  #take(frame: ServerFrame): void {
    if (frame.type === "ok") {
      this.#settle(frame.request, (pending) => pending.resolve(frame.result));
      return;
    }
    if (frame.type === "error") {
      const error = errorFromWire(frame, 0);
      if (frame.request !== undefined) {
        this.#settle(frame.request, (pending) => pending.reject(error));
      } else if (this.#isFinal(error)) this.#refusal = error;
      else this.#obstacle = error;
      return;
    }
    if (frame.type === "bye") this.#retryMs = frame.retryMs;
    if (frame.type === "hello") {
      this.#state = "greeted";
      this.#refused = null;
      this.#options.onFrame(frame);
      for (const { text } of this.#pending.values()) this.#write(text);
      return;
    }
    this.#options.onFrame(frame);
  }

  /** Call it when the server has accepted the connection. From now on, a lost one is restored without a time limit. */
  joined(): void {
    this.#everReady = true;
    this.#obstacle = null;
    this.#tries = 0;
  }

  #settle(request: number, act: (pending: PendingRequest) => void): void {
    const pending = this.#pending.get(request);
    this.#pending.delete(request);
    if (pending !== undefined) act(pending);
    if (this.#pending.size === 0) this.#onQuiet?.();
  }

  #send(frame: ClientFrame): void {
    this.#write(JSON.stringify(frame));
  }

  #write(text: string): void {
    // A socket that is closing sends nothing; requests are sent again over the next one.
    if (this.#socket?.readyState === 1) this.#socket.send(text);
  }

  /** The server may accept only shorter frames than this client. Then the longest frame would end every connection. */
  #dropLongest(): void {
    const [longest] = [...this.#pending].sort(([, a], [, b]) => b.text.length - a.text.length);
    if (longest !== undefined) this.#settle(longest[0], ({ reject }) => reject(tooLarge()));
  }

  #lost(): void {
    this.#socket = null;
    clearInterval(this.#beat);
    // `close()` ends the link itself.
    if (this.#state === "ended" || this.#leaving) return;
    this.#state = "connecting";
    const { reconnect, firstConnectionMs } = this.#options;
    const isInTime = this.#everReady || performance.now() - this.#startedAt < firstConnectionMs;
    const end = this.#refusal ?? (reconnect && isInTime ? null : this.#noConnection());
    if (!this.#everHeard) void this.#askWhy(this.#tries, end);
    else if (end !== null) this.#end(end);
    if (end !== null) return;
    if (this.#everReady) this.#options.onLost();
    else if (this.#everHeard) this.#warnOfTries();
    const longestMs = this.#everReady ? LIMITS.longestRetryMs : LIMITS.longestFirstRetryMs;
    const pauses = { firstMs: LIMITS.firstRetryMs, longestMs };
    const waitMs = this.#retryMs + backOffMs(this.#tries++, pauses);
    this.#retryMs = 0;
    this.#retry = setTimeout(() => this.#open(), waitMs);
  }

  /** Examines a server that has sent nothing yet; `end` is set after the last try. */
  async #askWhy(tries: number, end: ContinuoError | null): Promise<void> {
    const obstacle = await obstacleAt(this.#options.url);
    if (this.#state === "ended" || this.#everHeard) return;
    this.#met = obstacle === null ? 0 : this.#met + 1;
    if (end !== null || this.#met === OBSTACLE_TRIES) this.#end(obstacle ?? end);
    else if (tries === 0 && obstacle === null) this.#warnOfTries();
  }

  #isFinal(error: ContinuoError): boolean {
    const { reconnect, token } = this.#options;
    if (!FINAL_CODES.includes(error.code)) return false;
    if (!reconnect) return true;
    // Only the first connection waits for a handle, whose holder may be gone.
    if (!this.#everReady && this.#handleWait.isOpen(error, performance.now())) return false;
    // After the refusal of its token, a function is asked once for another one.
    if (typeof token !== "function" || error.code !== "unauthorized" || this.#refused !== null) return true;
    this.#refused = error;
    return false;
  }

  #warnOfTries(): void {
    const { firstConnectionMs, warn, onWaiting } = this.#options;
    const why = this.#obstacle === null ? "no server answers" : this.#obstacle.message;
    if (why === this.#warnedOf) return;
    this.#warnedOf = why;
    warn(
      `cannot join yet: ${why}${this.#freeIn()}; trying again for ${Math.ceil(firstConnectionMs / 1_000)} s`,
    );
    onWaiting?.(this.#noConnection());
  }

  /** A handle may be held for a participant that was killed, which the server cannot see. */
  #freeIn(): string {
    const leftMs = this.#obstacle?.code === "handle_taken" ? this.#obstacle.details.leftMs : undefined;
    if (typeof leftMs !== "number") return "";
    return ` (if its holder was killed, the handle is free in ${Math.ceil(leftMs / 1_000)} s)`;
  }

  #noConnection(): ContinuoError {
    // Before the first `ready` the server's own words say more.
    if (this.#obstacle !== null) return this.#obstacle;
    const { url } = this.#options;
    const [message, details] = this.#everReady
      ? ["the connection to the server was lost", { url }]
      : ["cannot connect to the server", { url, triedMs: Math.round(performance.now() - this.#startedAt) }];
    return new ContinuoError("unavailable", message, { hint: CHECK_SERVER, details });
  }

  #end(error: ContinuoError | null): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    clearInterval(this.#beat);
    clearTimeout(this.#retry);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(1000);
    for (const { reject } of this.#pending.values()) reject(error ?? over());
    this.#pending.clear();
    this.#onQuiet?.();
    this.#options.onEnd(error);
  }
}

function toSocket(url: string, protocol: string): WebSocket {
  return new WebSocket(url, [protocol]);
}

function closed(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LIMITS.closeMs);
    socket.addEventListener("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** The limit is in bytes of UTF-8; one unit of UTF-16 takes at most three of them. */
function isLonger(text: string, bytes: number): boolean {
  return text.length * 3 > bytes && new TextEncoder().encode(text).length > bytes;
}

function tooLarge(): ContinuoError {
  return new ContinuoError("too_large", "the message is too large for a frame", {
    hint: "Send it in parts, or as an attachment.",
  });
}

function notPrepared(cause: unknown): ContinuoError {
  return new ContinuoError("unavailable", "the start of the connection could not be loaded", {
    cause,
    hint: CHECK_SERVER,
  });
}

function over(): ContinuoError {
  return new ContinuoError("unavailable", "the client is closed", { hint: "Connect again." });
}
