/** The list of messages as the server streams it, over any number of lost connections. */

import { ContinuoError, isContinuoError } from "../../model/index.ts";
import { type ChatFrame, errorFromWire } from "../../wire/index.ts";
import { backOffMs, CHECK_SERVER, eventData, pause } from "../requests/index.ts";
import { LIMITS } from "./limits.ts";
import { type ChatListMessage, EMPTY_LIST, foldFrame, type MessageList } from "./message-list.ts";

export interface FeedOptions {
  /** Opens the stream of frames. */
  readonly open: (signal: AbortSignal) => Promise<Response>;
  readonly onConnection: (connection: "open" | "lost") => void;
}

/** The statuses of refusals that another try would get too. */
const FINAL: readonly number[] = [400, 401, 403, 404];
const PAUSES = { firstMs: LIMITS.firstRetryMs, longestMs: LIMITS.longestRetryMs } as const;

export class ChatFeed {
  readonly #options: FeedOptions;
  readonly #over = new AbortController();
  readonly #first = Promise.withResolvers<void>();
  #list: MessageList = EMPTY_LIST;
  /** Messages of this page that are not in the list yet. */
  readonly #unsent = new Map<string, ChatListMessage>();
  #changed = Promise.withResolvers<void>();
  #failure: unknown;
  #isReady = false;
  #isOpen = false;
  #connection = new AbortController();

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#run().catch((error: unknown) => this.#fail(error));
  }

  /** Aborts when the chat is closed. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Resolves with the first frame. */
  ready(): Promise<void> {
    return this.#first.promise;
  }

  add(message: ChatListMessage): void {
    if (this.#unsent.size >= LIMITS.unsent) {
      throw new ContinuoError("busy", "too many messages are not stored yet", {
        hint: "Send it again later.",
      });
    }
    this.#unsent.set(message.id, message);
    this.#change();
  }

  /**
   * Marks a message as stored. If the list is empty, the session is new: the page connects again, because the server
   * does not stream a session that did not exist.
   */
  stored(id: string): void {
    const message = this.#unsent.get(id);
    if (message === undefined) return;
    this.#unsent.set(id, { ...message, status: "complete" });
    this.#change();
    if (this.#list.messages.length === 0) this.#connection.abort();
  }

  remove(id: string): void {
    this.#unsent.delete(id);
    this.#change();
  }

  async *lists(signal: AbortSignal | undefined): AsyncGenerator<readonly ChatListMessage[], void> {
    const aborted = Promise.withResolvers<void>();
    const abort = (): void => aborted.resolve();
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted === true) abort();
    try {
      for (;;) {
        if (signal?.aborted === true) return;
        const { promise } = this.#changed;
        yield [...this.#list.messages, ...this.#unsent.values()];
        await Promise.race([promise, aborted.promise]);
        // Frames that arrive together make one list.
        await new Promise((resolve) => setTimeout(resolve));
        if (this.#failure !== undefined) throw this.#failure;
        if (this.#over.signal.aborted) return;
      }
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  close(): void {
    this.#over.abort();
    this.#change();
  }

  #fail(error: unknown): void {
    if (this.#over.signal.aborted) return;
    this.#failure = error;
    this.#first.reject(error);
    this.close();
  }

  /** The page learns of changes only: a connection that replaces an open one is none. */
  #tell(connection: "open" | "lost"): void {
    if (this.#isOpen === (connection === "open")) return;
    this.#isOpen = connection === "open";
    this.#options.onConnection(connection);
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Ends when the chat is closed. Errors: a refusal of the server; `unavailable` before the first connection. */
  async #run(): Promise<void> {
    const end = performance.now() + LIMITS.firstConnectionMs;
    for (let tries = 0; !this.#over.signal.aborted; tries++) {
      const connection = new AbortController();
      this.#connection = connection;
      const received = await this.#connect(
        AbortSignal.any([this.#over.signal, connection.signal]),
        connection,
      );
      if (this.#over.signal.aborted) return;
      // The page asked for another connection.
      if (received.frames && connection.signal.aborted && !received.silent) continue;
      if (received.frames) tries = 0;
      this.#tell("lost");
      if (!this.#isReady && performance.now() > end) {
        throw new ContinuoError("unavailable", "the server does not answer", {
          hint: CHECK_SERVER,
          cause: received.error,
        });
      }
      await pause(backOffMs(tries, PAUSES), this.#over.signal).catch(() => undefined);
    }
  }

  async #connect(signal: AbortSignal, connection: AbortController): Promise<FeedEnd> {
    let [frames, silent, refused] = [false, false, false];
    const lose = (): void => {
      silent = true;
      connection.abort();
    };
    let watch = setTimeout(lose, LIMITS.silentMs);
    const onBytes = (): void => {
      clearTimeout(watch);
      watch = setTimeout(lose, LIMITS.silentMs);
    };
    try {
      const response = await this.#options.open(signal);
      if (!response.ok) {
        const error = errorFromWire(await response.json().catch(() => null), response.status);
        refused = FINAL.includes(response.status);
        if (refused) throw error;
        return { frames, silent, error };
      }
      for await (const data of eventData(response, signal, onBytes)) {
        this.#take(JSON.parse(data) as ChatFrame);
        this.#tell("open");
        frames = true;
      }
      return { frames, silent, error: undefined };
    } catch (error) {
      // A proxy in front of an open chat may redirect it to another page for a while.
      const isPassing = this.#isReady && !refused && isContinuoError(error, "unavailable");
      if (isContinuoError(error) && !isPassing) throw error;
      return { frames, silent, error };
    } finally {
      clearTimeout(watch);
    }
  }

  #take(frame: ChatFrame): void {
    this.#list = foldFrame(this.#list, frame);
    if (frame.type === "chat" || frame.type === "message") {
      for (const { id } of this.#list.messages) this.#unsent.delete(id);
    }
    this.#isReady = true;
    this.#first.resolve();
    this.#change();
  }
}

interface FeedEnd {
  readonly frames: boolean;
  /** True if nothing arrived for too long. */
  readonly silent: boolean;
  readonly error: unknown;
}
