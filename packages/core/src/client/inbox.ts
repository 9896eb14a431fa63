/**
 * The inbox has every event exactly once, in the order of the log. It accepts an event only if the event directly
 * follows the last accepted event (`after`). Otherwise it asks the server to send the later events again. Unread events
 * wait up to a limit. The rest stays with the server until there is room.
 */

import type { WireEvent } from "../wire/index.ts";
import type { ClientEvent } from "./events.ts";
import { LIMITS } from "./limits.ts";

export interface InboxOptions {
  /** Called once for each event of the log when it arrives, even if there is no room for it. */
  readonly onArrival: (event: WireEvent) => void;
  /** Converts an event of the log to the event that `events()` yields; `null` if there is none. */
  readonly toEvent: (event: WireEvent) => ClientEvent | null;
  readonly onTell: (
    frame: { readonly type: "resume"; readonly after: number } | { readonly type: "pause" },
  ) => void;
  /** Called each time there is no more room. */
  readonly onFull: () => void;
  /** Returns true if somebody reads `events()` now, and nothing else waits for an event. */
  readonly mayPause: () => boolean;
}

export class Inbox {
  readonly #options: InboxOptions;
  readonly #queue: ClientEvent[] = [];
  #length = 0;
  /** The sequence of the last accepted event. */
  #position: number;
  #arrived: number;
  #state: "flowing" | "full" | "asked" = "flowing";
  #wake: (() => void) | null = null;
  #ended = false;

  constructor(options: InboxOptions) {
    this.#options = options;
    this.#position = 0;
    this.#arrived = 0;
  }

  /** The sequence after which a new connection begins. */
  get position(): number {
    return this.#position;
  }

  /** Called when a connection is open. The first time, events are accepted from the one that follows `after`. */
  begin(after: number): void {
    if (this.#arrived === 0) {
      this.#position = after;
      this.#arrived = after;
    }
    if (this.#state === "asked") this.#state = "flowing";
  }

  take(after: number, event: WireEvent): void {
    if (event.sequence > this.#arrived) {
      this.#arrived = event.sequence;
      this.#options.onArrival(event);
    }
    if (event.sequence <= this.#position || this.#state === "full") return;
    if (after !== this.#position) {
      if (this.#state === "flowing") this.#ask();
      return;
    }
    this.#state = "flowing";
    // This is checked before the event is converted, because an event that is dropped now is sent again later.
    if (!this.#hasRoom()) {
      this.#state = "full";
      this.#options.onFull();
      if (this.#options.mayPause()) this.#options.onTell({ type: "pause" });
      return;
    }
    this.#position = event.sequence;
    const made = this.#options.toEvent(event);
    if (made !== null) this.put(made);
  }

  /** Asks for events again if the inbox was full, because somebody waits for the next one. */
  flow(): void {
    if (this.#state === "full") this.#ask();
  }

  /** Adds an event for `next`, even if there is no room. Events that are not in the log do not change `position`. */
  put(event: ClientEvent): void {
    this.#queue.push(event);
    this.#length += lengthOf(event);
    this.#wake?.();
  }

  hasRoomForPresence(): boolean {
    return this.#queue.length < 2 * LIMITS.queuedEvents;
  }

  /**
   * Returns the next event; `undefined` when the inbox has ended or the signal is aborted. After an abort, the caller
   * must call `wake`, so that this method checks the signal.
   */
  async next(signal?: AbortSignal): Promise<ClientEvent | undefined> {
    for (;;) {
      if (signal?.aborted === true) return undefined;
      const event = this.#queue.shift();
      if (event !== undefined) {
        this.#length -= lengthOf(event);
        if (this.#state === "full" && this.#queue.length === 0) this.#ask();
        return event;
      }
      if (this.#ended) return undefined;
      if (this.#state === "full") this.#ask();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = null;
    }
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** Wakes the caller that waits in `next`, so that it looks for an event and checks its signal again. */
  wake(): void {
    this.#wake?.();
  }

  #ask(): void {
    this.#state = "asked";
    this.#options.onTell({ type: "resume", after: this.#position });
  }

  #hasRoom(): boolean {
    return this.#queue.length < LIMITS.queuedEvents && this.#length < LIMITS.queuedLength;
  }
}

function lengthOf(event: ClientEvent): number {
  return "content" in event && typeof event.content === "string" ? event.content.length : 64;
}
