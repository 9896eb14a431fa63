/**
 * One reading loop per log and process, for all readers at the end of the log: an append costs one read, however many
 * readers there are, and no read if this process made the append. The newest events are held until all readers have
 * them, up to a bound. A reader that needs older events reads for itself until it has caught up, so that a slow reader
 * delays no other and costs no memory.
 */

import type { StoredEvent } from "@continuo/core/model";
import { type Engine, LIMITS, storeMeter, type Watcher } from "./engine/index.ts";
import { readTail, tailOfRows } from "./rules/index.ts";

/**
 * A reader at the end of a log, for the whole life of its tail: it has one listener for all waits, and does not check a
 * signal for each event. With a thousand readers, such checks would cost as much as writing to their sockets.
 */
export class TailWaiter implements Disposable {
  after = 0;
  readonly #signal: AbortSignal;
  #isOver: boolean;
  #wait: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | null = null;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    this.#isOver = signal.aborted;
    signal.addEventListener("abort", this.#end, { once: true });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  begin(after: number): Promise<void> {
    this.after = after;
    return new Promise((resolve, reject) => {
      this.#wait = { resolve, reject };
    });
  }

  wake(): void {
    this.#wait?.resolve();
  }

  fail(error: unknown): void {
    this.#wait?.reject(error);
  }

  /** Ends early, without an error, when the reader leaves. */
  async pause(ms: number): Promise<void> {
    const timer = setTimeout(() => this.wake(), ms);
    await this.begin(this.after).catch(() => undefined);
    clearTimeout(timer);
  }

  [Symbol.dispose](): void {
    this.#signal.removeEventListener("abort", this.#end);
  }

  readonly #end = (): void => {
    this.#isOver = true;
    this.fail(this.#signal.reason);
  };
}

export class SharedTails {
  readonly #tails = new Map<number, SharedTail>();

  /** `logKey` must be the key of `logId` in the workspace of the engine. Call `leave` at the end. */
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

  /** The number of logs that are read now. */
  get size(): number {
    return this.#tails.size;
  }
}

class SharedTail {
  readers = 0;
  readonly #engine: Engine;
  readonly #logId: string;
  readonly #logKey: number;
  readonly #watcher: Watcher;
  readonly #over: () => void;
  readonly #ended = new AbortController();
  readonly #waiters = new Set<TailWaiter>();
  /** Consecutive events; the last one has the sequence `#head`. */
  #events: StoredEvent[] = [];
  #sizes: number[] = [];
  #sizeBytes = 0;
  #head: number;
  /** `unread` if there may be events that no watcher reported. */
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

  leave(waiter: TailWaiter): void {
    this.#waiters.delete(waiter);
    if (--this.readers > 0) return;
    this.#ended.abort();
    this.#over();
    this.#watcher.close();
  }

  /** Yields the kept events after a sequence one by one, so that a slow reader keeps nothing in memory. */
  *from(after: number): Generator<StoredEvent, void, void> {
    for (let next = after; ; next++) {
      const event = this.#events[next - (this.#head - this.#events.length)];
      if (event === undefined) return;
      yield event;
    }
  }

  /**
   * Decides the next step of a reader that has everything up to a sequence; `behind`: it must read for itself.
   */
  look(after: number): "events" | "behind" | "wait" | "end" {
    if (after >= this.#head) return this.#state === "closed" ? "end" : "wait";
    return after >= this.#head - this.#events.length ? "events" : "behind";
  }

  /**
   * Resolves when there is an event after the sequence, or when there will never be one; rejects when the waiter fails.
   */
  wait(after: number, waiter: TailWaiter): Promise<void> {
    const waiting = waiter.begin(after);
    this.#waiters.add(waiter);
    if (this.#waiters.size === this.readers) this.#forgetAll();
    if (!this.#isRunning) void this.#run();
    return waiting;
  }

  /** Reads while readers wait. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      while (this.#waiters.size > 0) {
        if (this.#state === "read") await this.#watcher.changed(this.#ended.signal);
        await this.#advance();
        for (const waiter of [...this.#waiters]) {
          if (this.look(waiter.after) === "wait") continue;
          this.#waiters.delete(waiter);
          waiter.wake();
        }
      }
    } catch (error) {
      // The next reader begins a loop of its own.
      this.#over();
      for (const waiter of [...this.#waiters]) waiter.fail(error);
      this.#waiters.clear();
    } finally {
      this.#isRunning = false;
    }
  }

  async #advance(): Promise<void> {
    const after = this.#head;
    const isAtEnd = this.#state === "read";
    // The rows are taken before the read: a later row is in the next page, or is already in this one.
    const rows = this.#watcher.takeRows();
    const page =
      (isAtEnd && rows !== null ? tailOfRows(this.#logId, rows, after) : null) ??
      (await this.#engine.read((scope) =>
        readTail(scope, { logId: this.#logId, logKey: this.#logKey, after }),
      ));
    for (const [index, event] of page.events.entries()) {
      this.#events.push(event);
      this.#sizes.push(page.sizes[index] ?? 0);
      this.#sizeBytes += page.sizes[index] ?? 0;
      this.#head = event.sequence;
    }
    const newest = page.events.at(-1);
    if (isAtEnd && newest !== undefined) {
      // The clocks of two machines may differ.
      const lagMs = Math.max(0, Date.now() - Date.parse(newest.recordedAt));
      storeMeter.record("continuo.store.tail.lag", lagMs / 1_000);
    }
    this.#forget(page.events.length);
    if (page.more) this.#state = "unread";
    else this.#state = page.isClosed ? "closed" : "read";
  }

  /**
   * Drops all events, because every reader has them: otherwise they would fill the memory of a process that follows
   * many quiet logs.
   */
  #forgetAll(): void {
    this.#events = [];
    this.#sizes = [];
    this.#sizeBytes = 0;
  }

  /** The page that was just read is kept, however large it is, because waiting readers are about to read it. */
  #forget(keep: number): void {
    let count = 0;
    while (
      this.#events.length - count > Math.max(keep, 1) &&
      (this.#events.length - count > LIMITS.heldEvents || this.#sizeBytes > LIMITS.tailBytes)
    ) {
      this.#sizeBytes -= this.#sizes[count] ?? 0;
      count++;
    }
    this.#events.splice(0, count);
    this.#sizes.splice(0, count);
  }
}
