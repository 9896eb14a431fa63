/** The fold of one session, kept up to date from its log: on the owner and on every server that serves the session. */

import { setImmediate as otherWork } from "node:timers/promises";
import { messageOf, type Store, type StoredEvent } from "@continuo/core/model";
import { isCountedInput, recordOf } from "@continuo/core/wire";
import {
  type Acknowledgement,
  countInput,
  type Damage,
  type Level,
  type LevelDepths,
  LIMITS,
  type ReportedState,
  recordTime,
  tailAround,
} from "../kit/index.ts";
import { nextLevel } from "./back-pressure.ts";
import { depthOf, type LiveFold } from "./fold.ts";
import { addChecked, leftAfter, type RestoreResult, restore } from "./restore.ts";
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
  /** The time at which `faultAt` was first read while the log cannot be trusted. */
  #faultAt: string | null = null;
  #damages: readonly Damage[];
  #repairedAt = 0;
  /** The first damaged sequence, if the fold must be made again without the damaged events. */
  #againBefore: number | null = null;
  #tailing = new AbortController();
  #ended: "no" | "yes" = "no";
  readonly restoreMs: number;

  private constructor(
    options: FollowerOptions,
    { fold, fault, damages, restoreMs }: Omit<RestoreResult, "fromSequence"> & { readonly restoreMs: number },
  ) {
    this.#options = options;
    this.sessionId = options.sessionId;
    this.#fold = fold;
    this.#fault = fault;
    this.#damages = damages;
    this.restoreMs = restoreMs;
    void this.#run();
  }

  /** Errors: those of the store. */
  static async open(options: FollowerOptions): Promise<Follower> {
    const began = performance.now();
    const { fold, fault, damages } = await recordTime("continuo.live.restore.duration", () =>
      restore(options.store, options.sessionId),
    );
    const restoreMs = performance.now() - began;
    // Ends this turn of the event loop, which folded the last page, before the caller begins its own work on the fold.
    await otherWork();
    return new Follower(options, { fold, fault, damages, restoreMs });
  }

  get fold(): LiveFold {
    return this.#fold;
  }

  /** Why the log cannot be trusted; `null` if it can. The fold still has all events that are not damaged. */
  get fault(): string | null {
    return this.#fault;
  }

  /** The time at which this server was first asked for the time of the fault, ISO 8601 UTC; `null` without a fault. */
  get faultAt(): string | null {
    if (this.#fault === null) this.#faultAt = null;
    else this.#faultAt ??= new Date().toISOString();
    return this.#faultAt;
  }

  /** The sequence of the last repair that this follower read; 0 before the first. */
  get repairedAt(): number {
    return this.#repairedAt;
  }

  /** The events that are left out of the fold, and that no repair has put aside. */
  get damages(): readonly Damage[] {
    return this.#damages;
  }

  /** The damage that includes an event, even if the event was put aside. */
  damageAt(sequence: number): Damage | null {
    const isPart = (one: Damage): boolean => one.sequence <= sequence && sequence <= one.through;
    return this.#damages.find(isPart) ?? this.#fold.quarantined.find(isPart) ?? null;
  }

  /** Leaves these events out as well. Resolves when the fold is made again without them. */
  async learn(damages: readonly Damage[]): Promise<void> {
    const found = damages.filter(({ sequence }) => this.damageAt(sequence) === null);
    const [first] = found;
    if (first === undefined) return;
    this.#damages = [...this.#damages, ...found];
    this.#fault ??= first.reason;
    const { promise, resolve } = Promise.withResolvers<void>();
    const leave = this.onAnew(resolve);
    this.#again(Math.min(...found.map(({ sequence }) => sequence)));
    await promise;
    leave();
  }

  /** True when the log is closed and no event follows. */
  get isOver(): boolean {
    return this.#ended === "yes" || this.#over.signal.aborted;
  }

  /** True when nobody keeps the fold up to date any more. */
  get isClosed(): boolean {
    return this.#over.signal.aborted;
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
   * Calls the listener when the fold was made again, for example after a repair, or when the follower no longer updates
   * it. A caller that shows the session then joins it again.
   */
  onAnew(listener: () => void): () => void {
    this.#anewListeners.add(listener);
    if (this.#over.signal.aborted) listener();
    return () => this.#anewListeners.delete(listener);
  }

  /** Resolves when the fold has the event of that sequence, or when no event follows. */
  async reaches(sequence: number): Promise<void> {
    if (this.#fold.sequence >= sequence || this.isOver) return;
    const { signal } = this.#over;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        leave();
        leaveAnew();
        signal.removeEventListener("abort", done);
        resolve();
      };
      const leave = this.onEvent((event) => {
        if (event.sequence >= sequence) done();
      });
      const leaveAnew = this.onAnew(() => {
        if (this.#fold.sequence >= sequence) done();
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

  /**
   * Ends the present tail, so that the fold is made again from a snapshot before this sequence; for infinity, from the
   * log without a snapshot.
   */
  #again(before: number): void {
    this.#againBefore = Math.min(this.#againBefore ?? before, before);
    this.#tailing.abort();
    if (this.#ended === "yes") void this.#run();
  }

  async #run(): Promise<void> {
    const { store, sessionId, report } = this.#options;
    const { signal } = this.#over;
    while (!signal.aborted && (this.#ended === "no" || this.#againBefore !== null)) {
      try {
        if (this.#againBefore === null) await this.#tail();
        else await this.#restoreAgain(this.#againBefore);
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
    this.#tailing = new AbortController();
    const signal = AbortSignal.any([this.#over.signal, this.#tailing.signal]);
    for await (const event of tailAround(store, sessionId, { after: this.#fold.sequence, signal })) {
      this.#add(event);
      if (signal.aborted) return;
    }
    if (!signal.aborted) this.#ended = "yes";
  }

  #add(event: StoredEvent): void {
    const found = addChecked(this.#fold, event);
    this.#damages = leftAfter([...this.#damages, ...found], event);
    const isSound = found.every(({ sequence }) => sequence !== event.sequence);
    // Callers that wait for the sequence learn of a damaged event, without its type and payload.
    const heard = isSound ? event : { ...event, type: "unreadable", data: null };
    for (const listener of [...this.#listeners]) listener(heard, this.#fold);
    if (found[0] !== undefined) this.#tellFault(found[0].reason);
    if (isSound && event.type === "session_state_changed") this.#afterState(event);
  }

  #tellFault(fault: string): void {
    this.#fault ??= fault;
    for (const listener of [...this.#faultListeners]) listener(fault);
  }

  /** A server that found damage names it when it degrades the session; a repair ends the fault. */
  #afterState({ sequence, data }: StoredEvent): void {
    const { state, damaged } = this.#fold;
    if (recordOf(data).from === "degraded" && state !== "degraded") this.#repairedAt = sequence;
    if (state === "degraded") {
      // Damage that others named earlier may be gone after the restore of a backup: only a check of the log shows it.
      const isNamed = recordOf(data).damaged !== undefined;
      const unknown = damaged.filter(({ sequence }) => this.damageAt(sequence) === null);
      if (isNamed && unknown.length > 0) this.#again(Math.min(...unknown.map(({ sequence }) => sequence)));
    } else if (this.#fault !== null && !isFinal(state)) {
      // The bytes may have come back from a backup.
      if (this.#damages.length > 0) this.#again(Number.POSITIVE_INFINITY);
      else {
        this.#fault = null;
        this.#tellAnew();
      }
    }
  }

  async #restoreAgain(before: number): Promise<void> {
    const { store, sessionId } = this.#options;
    const options = Number.isFinite(before) ? { before } : ({ snapshots: "none" } as const);
    const { fold, fault, damages } = await restore(store, sessionId, options);
    if (this.#againBefore === before) this.#againBefore = null;
    if (this.#fold.state === "degraded" && fold.state !== "degraded") this.#repairedAt = fold.stateSequence;
    this.#fold = fold;
    // The hashes do not show an error that is only in the index of the store.
    const named = fold.state === "degraded" ? fold.damaged : [];
    this.#damages = [
      ...damages,
      ...named.filter((one) => damages.every(({ sequence }) => sequence !== one.sequence)),
    ];
    this.#fault = fault ?? this.#damages[0]?.reason ?? null;
    this.#tellAnew();
    if (this.#fault !== null) this.#tellFault(this.#fault);
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

/** The answer to accepted input, which is durable by then. The fold may not yet have the stored events. */
export function acknowledge(
  { fold }: Follower,
  stored: readonly StoredEvent[],
  { backpressure, levels }: { readonly backpressure: boolean; readonly levels: LevelDepths },
): Acknowledgement {
  const unseen = stored.filter((event) => event.sequence > fold.sequence && isCountedInput(event)).length;
  const depth = depthOf(fold) + unseen;
  const level = backpressure ? nextLevel(fold.level, depth, levels) : "normal";
  const types = stored.map(({ type }) => type);
  countInput(types, depth);
  return { sequences: stored.map(({ sequence }) => sequence), depth, level, dropped: 0 };
}
