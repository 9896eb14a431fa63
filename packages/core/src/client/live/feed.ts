/** The socket of a continuous session. It reconnects by itself, and continues after the newest event that it saw. */

import { assertKnownOptions, type ContinuoError, type KnownOptions, present } from "../../model/index.ts";
import { LIVE_SUBPROTOCOL, type LiveClientFrame, type LiveServerFrame } from "../../wire/index.ts";
import { assertServerUrl, OBSTACLE_TRIES, obstacleAt, socketAddress } from "../requests/index.ts";
import { LIMITS } from "./limits.ts";
import { pathOf, type ServerAddress } from "./requests.ts";

export interface FeedOptions extends ServerAddress {
  readonly key: string;
  /** The feed begins after this sequence of this session. */
  readonly after?: number;
  readonly sessionId?: string;
  readonly onFrame: (frame: LiveServerFrame) => void;
  /** Called when the server answered, and when the connection is lost. */
  readonly onConnection?: ((connection: "open" | "lost") => void) | undefined;
  /**
   * Called once with the reason why the connection does not open: `forbidden`, `unsupported`. The feed
   * still tries again.
   */
  readonly onRefused?: ((error: ContinuoError) => void) | undefined;
}

export class Feed {
  #options: FeedOptions;
  #socket: WebSocket | null = null;
  #state: "open" | "closed" = "open";
  #sessionId: string | undefined;
  #after = 0;
  #tries = 0;
  #heardAtMs = 0;
  #everHeard = false;
  /** Consecutive tries that met an obstacle before the server sent anything. */
  #met = 0;
  #timers: ReturnType<typeof setTimeout>[] = [];

  constructor(options: FeedOptions) {
    assertServerUrl(options.serverUrl);
    this.#options = options;
    this.#after = options.after ?? 0;
    this.#sessionId = options.sessionId;
    this.#open();
  }

  close(): void {
    this.#state = "closed";
    for (const timer of this.#timers) clearTimeout(timer);
    this.#socket?.close(1000);
  }

  /** Connects again with the token: after a short pause if there is a connection now, otherwise immediately. */
  useToken(token: string): void {
    this.#options = { ...this.#options, token };
    this.#tries = 0;
    if (this.#socket !== null) this.restart();
    else if (this.#state === "open") {
      for (const timer of this.#timers) clearTimeout(timer);
      this.#open();
    }
  }

  /** Connects again, because the key may have another session now. */
  restart(): void {
    this.#socket?.close(1000);
  }

  #open(): void {
    const { serverUrl, key, token } = this.#options;
    const socket = new WebSocket(`${socketAddress(serverUrl)}${pathOf(key, "/ws")}`, [LIVE_SUBPROTOCOL]);
    this.#socket = socket;
    this.#heardAtMs = performance.now();
    socket.onopen = () =>
      send(socket, present({ type: "hello", after: this.#after, sessionId: this.#sessionId, token }));
    socket.onmessage = ({ data }) => {
      if (socket === this.#socket && typeof data === "string") this.#receive(data);
    };
    // The close that follows gives the reason.
    socket.onerror = () => undefined;
    socket.onclose = () => {
      if (socket === this.#socket) this.#lost();
    };
    this.#beat(socket);
  }

  #beat(socket: WebSocket): void {
    const beat = setInterval(() => {
      if (socket !== this.#socket || this.#state === "closed") clearInterval(beat);
      else if (performance.now() - this.#heardAtMs <= LIMITS.silenceMs) send(socket, { type: "heartbeat" });
      else {
        socket.close();
        this.#lost();
      }
    }, LIMITS.heartbeatMs);
    this.#timers = [beat];
  }

  #receive(text: string): void {
    this.#heardAtMs = performance.now();
    this.#everHeard = true;
    const frame = JSON.parse(text) as LiveServerFrame;
    if (frame.type === "hello") {
      if (frame.sessionId !== this.#sessionId) this.#after = 0;
      this.#sessionId = frame.sessionId;
      this.#tries = 0;
      this.#options.onConnection?.("open");
    }
    if (frame.type === "event") this.#after = frame.event.sequence;
    if (frame.type !== "heartbeat") this.#options.onFrame(frame);
  }

  async #askWhy(): Promise<void> {
    const obstacle = await obstacleAt(this.#options.serverUrl);
    if (this.#everHeard || this.#state === "closed") return;
    this.#met = obstacle === null ? 0 : this.#met + 1;
    if (obstacle !== null && this.#met === OBSTACLE_TRIES) (this.#options.onRefused ?? warn)(obstacle);
  }

  #lost(): void {
    this.#socket = null;
    for (const timer of this.#timers) clearInterval(timer);
    if (this.#state === "closed") return;
    this.#options.onConnection?.("lost");
    if (!this.#everHeard && this.#met < OBSTACLE_TRIES) void this.#askWhy();
    const most = Math.min(LIMITS.longestRetryMs, LIMITS.firstRetryMs * 2 ** this.#tries++);
    this.#timers = [setTimeout(() => this.#open(), most * (0.5 + Math.random() / 2))];
  }
}

function warn({ message, hint }: ContinuoError): void {
  // biome-ignore lint/suspicious/noConsole: a page, or the program of a caller, has no other place for a warning
  console.warn(`continuo: ${message}. ${hint}`);
}

function send(socket: WebSocket, frame: LiveClientFrame): void {
  if (socket.readyState === 1) socket.send(JSON.stringify(frame));
}

export interface WatchLiveOptions extends ServerAddress {
  readonly key: string;
  /**
   * The watch begins after this sequence of the session `sessionId`. It begins with the first event if both are left
   * out, or if the key has another session now.
   */
  readonly after?: number;
  readonly sessionId?: string;
  /** Called with each frame of the server except heartbeats, such as events, levels and errors. */
  readonly onFrame: (frame: LiveServerFrame) => void;
  readonly onConnection?: ((connection: "open" | "lost") => void) | undefined;
  /**
   * Called once with the reason why the connection does not open: `forbidden` for a page that the server does not
   * accept, `unsupported` for a proxy that passes no WebSockets. By default the reason goes to `console.warn`.
   */
  readonly onRefused?: ((error: ContinuoError) => void) | undefined;
}

const WATCH_OPTIONS: KnownOptions<WatchLiveOptions> = {
  serverUrl: true,
  token: true,
  key: true,
  after: true,
  sessionId: true,
  onFrame: true,
  onConnection: true,
  onRefused: true,
};

export interface LiveWatch {
  close(): void;
}

/**
 * Follows a continuous session without adding anything. If the key has no session yet, the watch tries again until it
 * is closed, and never creates a session. Needs `live:KEY:read`. Errors: `invalid`.
 */
export function watchLive(options: WatchLiveOptions): LiveWatch {
  assertKnownOptions("watchLive", options, WATCH_OPTIONS);
  return new Feed(options);
}
