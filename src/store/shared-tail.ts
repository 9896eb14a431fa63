/**
 * One reading loop per log and process, for all who wait at the log's end: an append costs one read, however many
 * readers there are. The newest events are held, up to a bound. Whoever needs older ones reads for itself until it has
 * caught up, so that a slow reader holds up nobody and costs no memory.
 */

import type { StoredEvent } from "../model/index.ts";
import { type Engine, LIMITS, type Watcher } from "./engine/index.ts";
import { readTail } from "./rules/index.ts";

interface Waiter {
  readonly after: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class SharedTails {
  readonly #tails = new Map<number, SharedTail>();

  /** `logId` has the key `logKey` in the workspace of the engine. To be left with `leave`. */
  join(
    engine: Engine,
    log: { readonly logId: string; readonly logKey: number; readonly head: number },
  ): SharedTail {
    let tail = this.#tails.get(log.logKey);
    if (tail === undefined) {
      const made: SharedTail = new SharedTail(engine, log, () => {
        if (this.#tails.get(log.logKey) === made) this.#tails.delete(log.logKey);
      });
      tail = made;
      this.#tails.set(log.logKey, tail);
    }
    tail.readers++;
    return tail;
  }

  /** How many logs are read now. */
  get size(): number {
    return this.#tails.size;
  }
}

export class SharedTail {
  readers = 0;
  readonly #engine: Engine;
  readonly #logId: string;
  readonly #logKey: number;
  readonly #watcher: Watcher;
  readonly #over: () => void;
  readonly #ended = new AbortController();
  readonly #waiters = new Set<Waiter>();
  /** Consecutive: the last one has the sequence `#head`. */
  #events: StoredEvent[] = [];
  #sizes: number[] = [];
  #sizeBytes = 0;
  #head: number;
  /** Whether there may be something to read that nobody will tell of. */
  #state: "unread" | "read" | "closed" = "unread";
  #isRunning = false;

  constructor(
    engine: Engine,
    log: { readonly logId: string; readonly logKey: number; readonly head: number },
    over: () => void,
  ) {
    this.#engine = engine;
    this.#logId = log.logId;
    this.#logKey = log.logKey;
    this.#head = log.head;
    this.#over = over;
    this.#watcher = engine.changes.watch(log.logKey);
  }

  leave(): void {
    if (--this.readers > 0) return;
    this.#ended.abort();
    this.#over();
    this.#watcher.close();
  }

  /** What is held after a sequence, as long as it is: one by one, so that a slow reader holds on to nothing. */
  *from(after: number): Generator<StoredEvent, void, void> {
    for (let next = after; ; next++) {
      const event = this.#events[next - (this.#head - this.#events.length)];
      if (event === undefined) return;
      yield event;
    }
  }

  /** What a reader that has everything up to a sequence does next; `behind`: read for itself. */
  look(after: number): "events" | "behind" | "wait" | "end" {
    if (after >= this.#head) return this.#state === "closed" ? "end" : "wait";
    return after >= this.#head - this.#events.length ? "events" : "behind";
  }

  /** Resolves when there is something after the sequence, or will never be. Rejects with the signal's reason. */
  wait(after: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const done = (): void => {
        signal.removeEventListener("abort", aborted);
        this.#waiters.delete(waiter);
      };
      const aborted = (): void => {
        done();
        reject(signal.reason);
      };
      const waiter: Waiter = {
        after,
        resolve: () => {
          done();
          resolve();
        },
        reject: (error) => {
          done();
          reject(error);
        },
      };
      this.#waiters.add(waiter);
      signal.addEventListener("abort", aborted, { once: true });
      if (!this.#isRunning) void this.#run();
    });
  }

  /** Reads while somebody waits. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      while (this.#waiters.size > 0) {
        if (this.#state === "read") await this.#watcher.changed(this.#ended.signal);
        await this.#advance();
        for (const waiter of [...this.#waiters]) if (this.look(waiter.after) !== "wait") waiter.resolve();
      }
    } catch (error) {
      // Whoever comes next begins with a loop of its own.
      this.#over();
      for (const waiter of [...this.#waiters]) waiter.reject(error);
    } finally {
      this.#isRunning = false;
    }
  }

  async #advance(): Promise<void> {
    const after = this.#head;
    const page = await this.#engine.read((scope) =>
      readTail(scope, { logId: this.#logId, logKey: this.#logKey, after }),
    );
    for (const [index, event] of page.events.entries()) {
      this.#events.push(event);
      this.#sizes.push(page.sizes[index] ?? 0);
      this.#sizeBytes += page.sizes[index] ?? 0;
      this.#head = event.sequence;
    }
    this.#forget(page.events.length);
    if (page.more) this.#state = "unread";
    else this.#state = page.isClosed ? "closed" : "read";
  }

  /** The page that was just read stays, however large it is: those who wait are about to take it. */
  #forget(keep: number): void {
    let count = 0;
    while (
      this.#events.length - count > Math.max(keep, 1) &&
      (this.#events.length - count > LIMITS.tailEvents || this.#sizeBytes > LIMITS.tailBytes)
    ) {
      this.#sizeBytes -= this.#sizes[count] ?? 0;
      count++;
    }
    this.#events.splice(0, count);
    this.#sizes.splice(0, count);
  }
}
