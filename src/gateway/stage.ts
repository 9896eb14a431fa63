/**
 * Keeps the order in which the turns of one session are shown: the updates of different turns are not mixed, whether
 * the turns are of this connection or of other programs. Showing a turn never delays a turn for long, because only
 * the store decides which turn runs.
 */

import { setTimeout as sleep } from "node:timers/promises";

export class Stage {
  #last: Promise<void> = Promise.resolve();

  /** Waits until every earlier turn has left, at most `waitMs` milliseconds. Returns the function that leaves. */
  async enter(waitMs?: number): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    if (waitMs === undefined) await before;
    else await inTime(before, waitMs);
    return resolve;
  }
}

/** Waits for the promise, but at most `waitMs` milliseconds. */
export async function inTime(before: Promise<void>, waitMs: number): Promise<void> {
  const over = new AbortController();
  const late = sleep(waitMs, undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([before, late]);
  over.abort();
}

/** Rejects when the signal aborts: an agent may take long to start, and a cancelled turn does not wait for it. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => undefined);
  const stop = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** The entry of a turn of this connection. The turn may end before it has anything to show. */
export class StageEntry {
  readonly #stage: Stage;
  readonly #waitMs: number;
  #entered: Promise<() => void> | null = null;

  constructor(stage: Stage, waitMs: number) {
    this.#stage = stage;
    this.#waitMs = waitMs;
  }

  async enter(): Promise<void> {
    this.#entered ??= this.#stage.enter(this.#waitMs);
    await this.#entered;
  }

  async leave(): Promise<void> {
    (await this.#entered)?.();
  }
}
