/** A log as batches: the backlog page by page, then new records, gathered while they arrive. */

import type { Store, StoredEvent } from "@continuo/core/model";
import { LIMITS } from "../context/index.ts";

export interface Batch {
  /** Empty if nothing arrived for a while, or the log was closed. */
  readonly events: readonly StoredEvent[];
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
  let after = from;
  for (;;) {
    if (signal.aborted) return;
    const log = await store.getLog(logId);
    const page = await store.read(logId, {
      after,
      limit: LIMITS.sseEvents,
      maxBytes: LIMITS.sseBytes,
    });
    after = page.events.at(-1)?.sequence ?? after;
    if (page.nextAfter !== null) {
      yield { events: page.events, state: "more" };
      continue;
    }
    if (log?.closedAt !== undefined) return yield { events: page.events, state: "closed" };
    yield { events: page.events, state: "up to date" };
    break;
  }
  yield* newBatches(store, logId, { after, signal });
}

/** New records after a sequence, without reading the backlog. Ends after a closed batch, or when the signal aborts. */
export async function* newBatches(
  store: Store,
  logId: string,
  { after, signal }: BatchOptions,
): AsyncGenerator<Batch, void, void> {
  const ended = new AbortController();
  const tail = store
    .tail(logId, { after, signal: AbortSignal.any([signal, ended.signal]) })
    [Symbol.asyncIterator]();
  let next = tail.next();
  try {
    for (;;) {
      const first = await orTimeout(next, LIMITS.sseIdleMs);
      if (first === "nothing") {
        yield { events: [], state: "up to date" };
        continue;
      }
      if (first.done === true) break;
      const events = [first.value];
      let size = sizeOf(first.value);
      next = tail.next();
      while (events.length < LIMITS.sseEvents && size < LIMITS.sseBytes) {
        const more = await orImmediate(next);
        if (more === "nothing" || more.done === true) break;
        events.push(more.value);
        size += sizeOf(more.value);
        next = tail.next();
      }
      yield { events, state: "up to date" };
    }
    if (!signal.aborted) yield { events: [], state: "closed" };
  } finally {
    ended.abort();
    // Nobody waits for this promise any more, so its error is handled here.
    next.catch(() => undefined);
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
