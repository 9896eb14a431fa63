/**
 * Tells watchers of a log that something may have changed. A watcher then reads again, unless this process itself added
 * the few rows that are new. A second notice costs a read; polling finds changes without a notice.
 */

import { LIMITS } from "./limits.ts";
import type { AppendedRows, EventRow, Transaction } from "./work.ts";

export interface Watcher {
  readonly logKey: number;
  /** Resolves when the log may have changed since the last call. Rejects with the signal's reason. */
  changed(signal?: AbortSignal): Promise<void>;
  /**
   * Returns the rows that this process appended after the last call, in their order; `null` if these are many rows, or
   * if something else may have changed.
   */
  takeRows(): readonly EventRow[] | null;
  close(): void;
}

interface WatchState {
  readonly logKey: number;
  pending: boolean;
  wake: (() => void) | undefined;
  rows: readonly EventRow[] | null;
}

type TransactionChanges = Pick<Transaction, "changed" | "appended">;

/** Notes that a log has grown by these rows. */
export function noteAppended(
  { changed, appended }: TransactionChanges,
  logKey: number,
  rows: readonly EventRow[],
): void {
  const before = appended?.get(logKey);
  if (before !== undefined || !changed.has(logKey)) appended?.set(logKey, [...(before ?? []), ...rows]);
  changed.add(logKey);
}

/** Notes that a log has changed in a way that only a read shows. */
export function noteChanged({ changed, appended }: TransactionChanges, logKey: number): void {
  changed.add(logKey);
  appended?.delete(logKey);
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
    const waiting: WatchState = { logKey, pending: false, wake: undefined, rows: [] };
    this.#watchers.add(waiting);
    this.#count();
    return {
      logKey,
      changed: (signal) => changed(waiting, signal),
      takeRows: () => {
        const { rows } = waiting;
        waiting.rows = [];
        return rows;
      },
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

  /** @param appended the rows of logs that only grew, if they are known */
  tell(logKeys: Iterable<number>, appended?: AppendedRows): void {
    if (this.#watchers.size === 0) return;
    const keys = new Set(logKeys);
    for (const waiting of this.#watchers) {
      if (keys.has(waiting.logKey)) wake(waiting, appended?.get(waiting.logKey) ?? null);
    }
  }

  tellAll(): void {
    for (const waiting of this.#watchers) wake(waiting, null);
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

function wake(waiting: WatchState, rows: readonly EventRow[] | null): void {
  waiting.rows = waiting.rows === null || rows === null ? null : few([...waiting.rows, ...rows]);
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

/**
 * Keeps only a few rows. A busy reader reads many rows from the database instead, because holding them for each log
 * would fill the memory.
 */
function few(rows: readonly EventRow[]): readonly EventRow[] | null {
  if (rows.length > LIMITS.announcedRows) return null;
  const chars = rows.reduce((sum, row) => sum + (row[10]?.length ?? row[11]?.length ?? 0), 0);
  return chars > LIMITS.announcedChars ? null : rows;
}
