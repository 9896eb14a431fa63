/**
 * Watchers of each log. A watcher hears only that something may have changed, and reads again.
 * A second notice costs a read; polling finds changes without a notice.
 */

export interface Watcher {
  readonly logKey: number;
  /** Resolves when the log may have changed since the last call. Rejects with the signal's reason. */
  changed(signal?: AbortSignal): Promise<void>;
  close(): void;
}

interface WatchState {
  readonly logKey: number;
  pending: boolean;
  wake: (() => void) | undefined;
}

export class Changes {
  readonly #watchers = new Set<WatchState>();
  readonly #onWatch: (watching: number) => void;
  #state: "open" | "closed" = "open";

  /** `onWatch` is called when the number of watchers changes, so that polling runs only while it is needed. */
  constructor(onWatch: (watching: number) => void) {
    this.#onWatch = onWatch;
  }

  watch(logKey: number): Watcher {
    const waiting: WatchState = { logKey, pending: false, wake: undefined };
    this.#watchers.add(waiting);
    this.#count();
    return {
      logKey,
      changed: (signal) => changed(waiting, signal),
      close: () => {
        this.#watchers.delete(waiting);
        this.#count();
      },
    };
  }

  /** The logs that are watched. */
  watched(): ReadonlySet<number> {
    return new Set([...this.#watchers].map((waiting) => waiting.logKey));
  }

  tell(logKeys: Iterable<number>): void {
    if (this.#watchers.size === 0) return;
    const keys = new Set(logKeys);
    for (const waiting of this.#watchers) if (keys.has(waiting.logKey)) wake(waiting);
  }

  tellAll(): void {
    for (const waiting of this.#watchers) wake(waiting);
  }

  /** Stops polling, even if there are watchers. */
  close(): void {
    this.#state = "closed";
    this.#onWatch(0);
    this.tellAll();
  }

  #count(): void {
    if (this.#state === "open") this.#onWatch(this.#watchers.size);
  }
}

function wake(waiting: WatchState): void {
  waiting.pending = true;
  waiting.wake?.();
}

function changed(waiting: WatchState, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (): void => {
      signal?.removeEventListener("abort", aborted);
      waiting.wake = undefined;
      waiting.pending = false;
      resolve();
    };
    const aborted = (): void => {
      waiting.wake = undefined;
      reject(signal?.reason);
    };
    if (signal?.aborted === true) return aborted();
    if (waiting.pending) return done();
    waiting.wake = done;
    signal?.addEventListener("abort", aborted, { once: true });
  });
}
