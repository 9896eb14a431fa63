/** The fold of one session, kept up to date from its log: on the owner and on every server that serves the session. */

import { setImmediate as otherWork } from "node:timers/promises";
import { messageOf, type Store, type StoredEvent } from "@continuo/core/model";
import {
  type Acknowledgement,
  countInput,
  type Level,
  LIMITS,
  type ReportedState,
  recordTime,
} from "../kit/index.ts";
import { nextLevel } from "./back-pressure.ts";
import { addEvent, depthOf, isCounted, type LiveFold } from "./fold.ts";
import { faultOf, restore } from "./restore.ts";
import { isFinal, reportedState } from "./state-machine.ts";

export type FollowListener = (event: StoredEvent, fold: LiveFold) => void;

export interface FollowerOptions {
  readonly store: Store;
  readonly sessionId: string;
  readonly report: (line: string) => void;
}

export class Follower {
  readonly sessionId: string;
  readonly #options: FollowerOptions;
  readonly #over = new AbortController();
  readonly #listeners = new Set<FollowListener>();
  readonly #faultListeners = new Set<(fault: string) => void>();
  readonly #anewListeners = new Set<() => void>();
  #fold: LiveFold;
  #fault: string | null;
  #ended: "no" | "yes" = "no";
  /** The duration of the restore. */
  readonly restoreMs: number;

  private constructor(
    options: FollowerOptions,
    {
      fold,
      fault,
      restoreMs,
    }: { readonly fold: LiveFold; readonly fault: string | null; readonly restoreMs: number },
  ) {
    this.#options = options;
    this.sessionId = options.sessionId;
    this.#fold = fold;
    this.#fault = fault;
    this.restoreMs = restoreMs;
    void this.#run();
  }

  /** Errors: the store's. */
  static async open(options: FollowerOptions): Promise<Follower> {
    const began = performance.now();
    const { fold, fault } = await recordTime("continuo.live.restore.duration", () =>
      restore(options.store, options.sessionId),
    );
    const restoreMs = performance.now() - began;
    // The work of the caller on the fold is no part of the turn that folded the last page.
    await otherWork();
    return new Follower(options, { fold, fault, restoreMs });
  }

  get fold(): LiveFold {
    return this.#fold;
  }

  /** Why the log cannot be trusted; `null` if it can. */
  get fault(): string | null {
    return this.#fault;
  }

  /** True when the log is closed and no event follows. */
  get isOver(): boolean {
    return this.#ended === "yes" || this.#over.signal.aborted;
  }

  /** The part of the session that every client receives. */
  view(): {
    readonly state: ReportedState;
    readonly level: Level;
    readonly depth: number;
    readonly restarts: number;
  } {
    const { level, restarts } = this.#fold;
    return { state: stateOf(this), level, depth: depthOf(this.#fold), restarts };
  }

  onEvent(listener: FollowListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onFault(listener: (fault: string) => void): () => void {
    this.#faultListeners.add(listener);
    if (this.#fault !== null) listener(this.#fault);
    return () => this.#faultListeners.delete(listener);
  }

  /**
   * Calls the listener when a repair replaced the fold, or when the follower no longer keeps it. A caller that shows
   * the session then joins it again.
   */
  onAnew(listener: () => void): () => void {
    this.#anewListeners.add(listener);
    if (this.#over.signal.aborted) listener();
    return () => this.#anewListeners.delete(listener);
  }

  /** Resolves when the fold has the event of that sequence, or when no event follows. */
  async reaches(sequence: number): Promise<void> {
    if (this.#fold.sequence >= sequence || this.isOver || this.#fault !== null) return;
    const { signal } = this.#over;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        leave();
        signal.removeEventListener("abort", done);
        resolve();
      };
      const leave = this.onEvent((event) => {
        if (event.sequence >= sequence) done();
      });
      signal.addEventListener("abort", done, { once: true });
    });
  }

  close(): void {
    this.#over.abort();
    this.#tellAnew();
  }

  #tellAnew(): void {
    for (const listener of [...this.#anewListeners]) listener();
  }

  async #run(): Promise<void> {
    const { store, sessionId, report } = this.#options;
    const { signal } = this.#over;
    while (!signal.aborted && this.#ended === "no") {
      try {
        if (this.#fault === null) await this.#tail();
        else await this.#untilRepaired();
      } catch (error) {
        if (signal.aborted) return;
        report(`live: cannot follow ${sessionId}: ${messageOf(error)}`);
        if ((await store.getLog(sessionId).catch(() => undefined)) === null) this.#ended = "yes";
        await later(LIMITS.followRetryMs, signal);
      }
    }
  }

  async #tail(): Promise<void> {
    const { store, sessionId } = this.#options;
    const { signal } = this.#over;
    for await (const event of store.tail(sessionId, { after: this.#fold.sequence, signal })) {
      const fault = faultOf(this.#fold, event);
      if (fault !== null) {
        this.#fault = fault;
        for (const listener of [...this.#faultListeners]) listener(fault);
        return;
      }
      addEvent(this.#fold, event);
      for (const listener of [...this.#listeners]) listener(event, this.#fold);
    }
    if (!signal.aborted) this.#ended = "yes";
  }

  /** Waits for a repair: a log that was not trusted is read again after it was verified. */
  async #untilRepaired(): Promise<void> {
    const { store, sessionId } = this.#options;
    await later(LIMITS.followRetryMs, this.#over.signal);
    const session = await store.getSession(sessionId);
    if (session === null || session.status === "closed" || session.status === "abandoned") {
      this.#ended = "yes";
    } else if (session.status !== "degraded") {
      const { fold, fault } = await restore(store, sessionId);
      this.#fold = fold;
      this.#fault = fault;
      if (fault === null) this.#tellAnew();
    }
  }
}

function later(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    timer.unref();
    signal.addEventListener("abort", done, { once: true });
  });
}

/** The state that is reported to clients. */
export function stateOf({ fold, fault }: Pick<Follower, "fold" | "fault">): ReportedState {
  if (fault !== null && !isFinal(fold.state)) return "degraded";
  const { state, lastInput, checkpoint } = fold;
  return reportedState(state, { lastInput, checkpoint: checkpoint?.cursor ?? null });
}

/** The answer to accepted input, which is durable by then. The fold may be behind the stored events. */
export function acknowledge(
  { fold }: Follower,
  stored: readonly StoredEvent[],
  { backpressure }: { readonly backpressure: boolean },
): Acknowledgement {
  const unseen = stored.filter((event) => event.sequence > fold.sequence && isCounted(event)).length;
  const depth = depthOf(fold) + unseen;
  const level = backpressure ? nextLevel(fold.level, depth) : "normal";
  const types = stored.map(({ type }) => type);
  countInput(types, depth);
  return { sequences: stored.map(({ sequence }) => sequence), depth, level, dropped: 0 };
}
