/** One continuous session: its growing log, and the shown position in it. */

import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { type LiveServerFrame, type LiveSession, watchLive } from "../../src/client/live/index.ts";
import type { WireEvent } from "../../src/wire/index.ts";
import { ask, sayError } from "../state/server.ts";
import { itemsAt, notesAt, type ShownNote } from "./at.ts";
import { EMPTY_LOG, foldLog, type Item, type LiveLog } from "./fold.ts";
import { livePath } from "./paths.ts";

/** Events that arrive within this time are drawn together. */
const GATHER_MS = 50;
/** This long after a change, the facts of the session are requested once. */
const FACTS_MS = 500;

export class LiveState {
  readonly key: string;
  readonly session: Signal<LiveSession | null> = signal(null);
  readonly log: Signal<LiveLog> = signal(EMPTY_LOG);
  /** The shown position of the log; `null` is the end. */
  readonly at: Signal<number | null> = signal(null);
  /** The id of the chosen item of the timeline, or of the chosen note. */
  readonly chosen: Signal<string | null> = signal(null);
  readonly connection: Signal<"connecting" | "open" | "lost" | "over"> = signal("connecting");
  readonly failure: Signal<string | null> = signal(null);
  /** Whether all events from before the page was opened have arrived. */
  readonly isReady: Signal<boolean> = signal(false);
  readonly items: ReadonlySignal<readonly Item[]>;
  readonly itemById: ReadonlySignal<ReadonlyMap<string, Item>>;
  readonly notes: ReadonlySignal<readonly ShownNote[]>;
  readonly #over = new AbortController();
  #gathered: WireEvent[] = [];
  #drawing: ReturnType<typeof setTimeout> | undefined;
  #asking: ReturnType<typeof setTimeout> | undefined;

  constructor(key: string) {
    this.key = key;
    this.items = computed(() => itemsAt(this.log.value, this.at.value));
    this.itemById = computed(() => new Map(this.log.value.items.map((item) => [item.id, item])));
    this.notes = computed(() => notesAt(this.log.value, this.at.value));
  }

  /** The returned function ends it. */
  follow(): () => void {
    void this.#askFacts();
    const watching = watchLive({
      serverUrl: location.origin,
      key: this.key,
      onFrame: (frame) => this.#take(frame, () => watching.close()),
      onConnection: (connection) => {
        if (this.connection.value !== "over") this.connection.value = connection;
      },
    });
    return () => {
      this.#over.abort();
      clearTimeout(this.#drawing);
      clearTimeout(this.#asking);
      watching.close();
    };
  }

  #take(frame: LiveServerFrame, end: () => void): void {
    switch (frame.type) {
      case "hello":
        // The key may have another session by now.
        if (this.session.value !== null && this.session.value.sessionId !== frame.sessionId)
          this.#beginAnew();
        return;
      case "event":
        this.#gathered.push(frame.event);
        this.#drawing ??= setTimeout(() => this.#draw(), GATHER_MS);
        if (frame.event.type === "session_state_changed") this.#askSoon();
        return;
      case "ready":
        this.#draw();
        this.isReady.value = true;
        return;
      case "backpressure":
      case "degraded":
        this.#askSoon();
        return;
      case "error":
        this.#draw();
        this.isReady.value = true;
        // The end of a session is not a failure.
        if (frame.error.code !== "log_closed") this.failure.value = frame.error.message;
        if (END_CODES.includes(frame.error.code)) {
          this.connection.value = "over";
          end();
        }
        return;
      default:
        return;
    }
  }

  #beginAnew(): void {
    batch(() => {
      this.log.value = EMPTY_LOG;
      this.at.value = null;
      this.#gathered = [];
    });
    this.#askSoon();
  }

  #draw(): void {
    clearTimeout(this.#drawing);
    this.#drawing = undefined;
    const events = this.#gathered;
    this.#gathered = [];
    this.log.value = foldLog(this.log.value, events);
  }

  #askSoon(): void {
    this.#asking ??= setTimeout(() => {
      this.#asking = undefined;
      void this.#askFacts();
    }, FACTS_MS);
  }

  async #askFacts(): Promise<void> {
    try {
      this.session.value = await ask<LiveSession>(livePath(this.key), { signal: this.#over.signal });
    } catch (error) {
      if (!this.#over.signal.aborted) this.failure.value = sayError(error);
    }
  }
}

const END_CODES: readonly string[] = ["log_closed", "not_found", "forbidden", "unauthorized"];
