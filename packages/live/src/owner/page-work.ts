/** The owner's work on the page of a session: when a pass is due, and what it appends. */

import { messageOf, type NewEvent, type Store, type StoredEvent } from "@continuo/core/model";
import type { PageItem } from "@continuo/core/wire";
import { type Clock, LIMITS } from "../kit/index.ts";
import {
  carriedPage,
  extractItems,
  itemsAfter,
  itemsBeyond,
  pageEvent,
  pageHash,
  readPageBefore,
} from "../page/index.ts";
import { acceptsInput, depthOf, type Follower } from "../state/index.ts";

export interface PageOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly follower: Follower;
  readonly signal: AbortSignal;
  readonly report: (line: string) => void;
  /** Appends as the owner. Errors: `fenced`, the store's. */
  readonly append: (events: readonly NewEvent[]) => Promise<readonly StoredEvent[]>;
  /** Called when a pass ended. */
  readonly onIdle: () => void;
}

type Reason = "pause" | "end";

const EXTRACTIVE = "extractive";

export class PageWork {
  readonly #options: PageOptions;
  #running: Promise<void> | null = null;
  /** The newest words that a pass has looked at. */
  #lookedAt = 0;

  constructor(options: PageOptions) {
    this.#options = options;
  }

  get isBusy(): boolean {
    return this.#running !== null;
  }

  /** When the next pass is due, if nothing is said before; `null` if nothing new was said, or notes come first. */
  get dueMs(): number | null {
    const { fold } = this.#options.follower;
    if (this.#running !== null || !this.#hasNew || depthOf(fold) > 0 || !acceptsInput(fold.state))
      return null;
    return fold.lastInputAtMs + LIMITS.pagePauseMs;
  }

  startIfDue(nowMs: number): void {
    const { dueMs } = this;
    if (dueMs === null || nowMs < dueMs || this.#options.follower.fault !== null) return;
    void this.#start("pause").then(() => this.#options.onIdle());
  }

  /** The pass at the end of the session. It never fails: what was not written is reported. */
  async finish(): Promise<void> {
    await this.#running;
    if (this.#hasNew) await this.#start("end");
  }

  get #hasNew(): boolean {
    const { saidAt, through } = this.#options.follower.fold.page;
    return saidAt > Math.max(through, this.#lookedAt);
  }

  #start(reason: Reason): Promise<void> {
    const { follower, report, signal } = this.#options;
    this.#running ??= this.#write(reason)
      .catch((error: unknown) => {
        if (!signal.aborted) report(`live: no page of ${follower.sessionId}: ${messageOf(error)}`);
      })
      .finally(() => {
        this.#running = null;
      });
    return this.#running;
  }

  /** Errors: the store's. */
  async #write(reason: Reason): Promise<void> {
    const { store, follower, newId, append } = this.#options;
    const { sessionId, fold } = follower;
    const through = fold.page.saidAt;
    this.#lookedAt = through;
    const carried = fold.page.passes === 0 ? await carriedPage(store, fold) : null;
    const before = carried ?? (await readPageBefore(store, sessionId, fold));
    const extracted = await extractItems(store, sessionId, through);
    if (extracted.length === 0) return;
    const earlier: readonly PageItem[] = fold.carry === "none" ? [] : itemsBeyond(before.written, extracted);
    const items = itemsAfter([...earlier, ...extracted], before.written, newId);
    if (carried === null && pageHash(items) === pageHash(before.written)) return;
    const pass = fold.page.passes + 1;
    await append([
      ...(carried?.events ?? []),
      pageEvent({ pass, reason, writer: EXTRACTIVE, through, items }),
    ]);
  }
}
