/** A log as batches: the backlog page by page, then new records, gathered while they arrive. */

import type { Store, StoredEvent } from "@continuo/core/model";
import { LIMITS } from "../context/index.ts";

export interface Batch {
  /**
   * Returns the records only once: a generator that waits at its `yield` keeps what it yielded, and a reader may read
   * nothing for a long time. Empty if nothing arrived for a while, or the log was closed.
   */
  readonly take: () => readonly StoredEvent[];
  /** `closed`: the last batch, after which no record ever follows. */
  readonly state: "more" | "up to date" | "closed";
}

interface BatchOptions {
  readonly after: number;
  readonly signal: AbortSignal;
}

/** Ends after a closed batch, and when the signal aborts. Errors: as `tail`. */
export async function* liveBatches(
  store: Store,
  logId: string,
  { after: from, signal }: BatchOptions,
): AsyncGenerator<Batch, void, void> {
  const place: ReadPosition = { logId, after: from };
  while (!signal.aborted) {
    const batch = await pageAt(store, place);
    yield batch;
    if (batch.state === "closed") return;
    if (batch.state === "more") continue;
    if ((yield* arriving(store, place, signal)) === "ended") return;
  }
}

/**
 * Yields new records after a sequence, without reading the backlog. Ends after a closed batch, when the signal aborts,
 * and when the reader takes nothing for a while.
 */
export async function* newBatches(
  store: Store,
  logId: string,
  { after, signal }: BatchOptions,
): AsyncGenerator<Batch, void, void> {
  yield* arriving(store, { logId, after }, signal);
}

interface ReadPosition {
  readonly logId: string;
  /** The sequence up to which the reader has received everything. */
  after: number;
}

/** A function of its own, because its local variables end with it, so that only the batch keeps the page in memory. */
async function pageAt(store: Store, place: ReadPosition): Promise<Batch> {
  const { logId, after } = place;
  const log = await store.getLog(logId);
  const page = await store.read(logId, { after, limit: LIMITS.sseEvents, maxBytes: LIMITS.sseBytes });
  place.after = page.events.at(-1)?.sequence ?? after;
  if (page.nextAfter !== null) return batchOf(page.events, "more");
  return batchOf(page.events, log?.closedAt === undefined ? "up to date" : "closed");
}

function batchOf(events: readonly StoredEvent[], state: Batch["state"]): Batch {
  let held = events;
  return {
    state,
    take: () => {
      const taken = held;
      held = [];
      return taken;
    },
  };
}

/** `behind`: the reader took nothing for a while, so its tail, which holds another page, was closed. */
async function* arriving(
  store: Store,
  place: ReadPosition,
  signal: AbortSignal,
): AsyncGenerator<Batch, "ended" | "behind", void> {
  const reading = new BatchReader(store, place, signal);
  try {
    for (;;) {
      const batch = await reading.next();
      if (batch === null) break;
      const timer = setTimeout(() => reading.close(), LIMITS.slowMs);
      try {
        yield batch;
      } finally {
        clearTimeout(timer);
      }
      if (reading.isClosed) return "behind";
    }
    if (!signal.aborted) yield batchOf([], "closed");
    return "ended";
  } finally {
    reading.close();
  }
}

/** A tail, read in batches. */
class BatchReader {
  isClosed = false;
  readonly #place: ReadPosition;
  readonly #ended = new AbortController();
  readonly #tail: AsyncIterator<StoredEvent, void>;
  #next: Promise<IteratorResult<StoredEvent, void>>;

  constructor(store: Store, place: ReadPosition, signal: AbortSignal) {
    this.#place = place;
    const either = AbortSignal.any([signal, this.#ended.signal]);
    this.#tail = store.tail(place.logId, { after: place.after, signal: either })[Symbol.asyncIterator]();
    this.#next = this.#tail.next();
  }

  /** `null` at the end. */
  async next(): Promise<Batch | null> {
    const first = await orTimeout(this.#next, LIMITS.sseIdleMs);
    if (first === "nothing") return batchOf([], "up to date");
    if (first.done === true) return null;
    const events = [first.value];
    let size = sizeOf(first.value);
    this.#next = this.#tail.next();
    while (events.length < LIMITS.sseEvents && size < LIMITS.sseBytes) {
      const more = await orImmediate(this.#next);
      if (more === "nothing" || more.done === true) break;
      events.push(more.value);
      size += sizeOf(more.value);
      this.#next = this.#tail.next();
    }
    this.#place.after = events.at(-1)?.sequence ?? this.#place.after;
    return batchOf(events, "up to date");
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#ended.abort();
    // Nobody waits for these promises any more, so their errors are handled here.
    this.#next.catch(() => undefined);
    this.#next = Promise.resolve({ done: true, value: undefined });
    this.#tail.return?.().catch(() => undefined);
  }
}

function sizeOf({ data }: StoredEvent): number {
  return data instanceof Uint8Array ? data.length : 1_000;
}

async function orTimeout<T>(promise: Promise<T>, ms: number): Promise<T | "nothing"> {
  let timer: NodeJS.Timeout | undefined;
  const nothing = new Promise<"nothing">((resolve) => {
    timer = setTimeout(resolve, ms, "nothing");
  });
  try {
    return await Promise.race([promise, nothing]);
  } finally {
    clearTimeout(timer);
  }
}

function orImmediate<T>(promise: Promise<T>): Promise<T | "nothing"> {
  return Promise.race([
    promise,
    new Promise<"nothing">((resolve) => {
      setImmediate(resolve, "nothing");
    }),
  ]);
}
