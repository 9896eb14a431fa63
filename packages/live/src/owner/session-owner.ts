/**
 * The owner's work on one session: its states and levels, its batches and its checkpoints. All its writes are fenced
 * with the lease of the session; when another owner takes the lease, this one ends.
 */

import {
  isContinuoError,
  messageOf,
  type NewEvent,
  present,
  type StoredEvent,
  type Write,
} from "@continuo/core/model";
import { decideUnanswered, draftIn, type Lane, LaneWork, lanesOf } from "../batches/index.ts";
import { readSequences } from "../evidence/index.ts";
import {
  type BudgetState,
  count,
  type Damage,
  type DamageReport,
  isFields,
  isoOf,
  LIMITS,
  type LiveState,
  record,
  recordTime,
  type SessionOwnerSettings,
} from "../kit/index.ts";
import { carriedEvents } from "../notes/index.ts";
import {
  acceptsInput,
  addToPending,
  budgetOf,
  budgetState,
  checkpointRetryMs,
  depthOf,
  type Follower,
  hasRoom,
  isDueCheckpoint,
  isFinal,
  type LiveFold,
  nextLevel,
  nextState,
  type OpenRequest,
  refill,
  stateOfFold,
  type Trigger,
  usedShare,
  writeCheckpoint,
} from "../state/index.ts";
import { AudioWork } from "./audio-work.ts";
import type { SessionLease } from "./ownership.ts";
import { PageWork } from "./page-work.ts";

export interface SessionOwnerOptions extends SessionOwnerSettings {
  readonly follower: Follower;
  readonly lease: SessionLease;
  /** Called when the session has ended, or belongs to another owner. */
  readonly onEnd: () => void;
  /** `none` for a removed session, which this owner only ends; `all` by default. */
  readonly work?: "all" | "none";
}

/** Errors after which there is nothing left to do: another owner has the session, or it ended, or it was deleted. */
const OVER: ReadonlySet<string> = new Set(["fenced", "log_closed", "not_found", "gone"]);

export class SessionOwner {
  readonly lease: SessionLease;
  readonly #options: SessionOwnerOptions;
  readonly #over = new AbortController();
  readonly #leave: (() => void)[];
  readonly #lanes: ReadonlyMap<Lane, LaneWork>;
  readonly #audio: AudioWork;
  readonly #page: PageWork;
  #writes: Promise<void> = Promise.resolve();
  #turns: Promise<unknown> = Promise.resolve();
  #cancelTimer: (() => void) | null = null;
  #busy: "free" | "writing" = "free";
  #checkpointFailures = 0;
  #checkpointAfterMs = 0;
  #retryAtMs = 0;
  lastCheckpointError: string | null = null;
  lastCheckpointMs: number | null = null;

  constructor(options: SessionOwnerOptions) {
    this.#options = options;
    this.lease = options.lease;
    const { follower } = options;
    this.#lanes = new Map(lanesOf(follower.fold).map((lane) => [lane, this.#laneWork(lane)]));
    this.#audio = new AudioWork({
      ...options,
      signal: this.#over.signal,
      append: (events) => this.append(events),
      onIdle: () => this.#wake(),
    });
    this.#page = new PageWork({
      ...options,
      signal: this.#over.signal,
      append: (events) => this.append(events),
      inTurn: (work) => this.#inTurn(work),
      onIdle: () => this.#wake(),
    });
    this.#leave = [
      follower.onEvent((event) => {
        for (const lane of this.#lanes.values()) lane.receive(event);
        this.#wake();
      }),
    ];
    for (const lane of this.#lanes.values()) lane.begin(follower.fold);
    if (options.lease.takenFrom !== null) void this.#restarted(options.lease.takenFrom);
    this.#wake();
  }

  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** True while a batch, a chunk of audio or a pass over the page is being processed. */
  get isBusy(): boolean {
    return this.#audio.isBusy || this.#page.isBusy || [...this.#lanes.values()].some((lane) => lane.isBusy);
  }

  /**
   * Appends as the owner, after earlier appends. Returns the stored events. Errors: `fenced`, after which this owner is
   * replaced; `log_closed`; `conflict` with `expectedSequence`; those of the store.
   */
  append(
    events: readonly NewEvent[],
    options: { readonly also?: readonly Write[]; readonly expectedSequence?: number } = {},
  ): Promise<readonly StoredEvent[]> {
    const { store, follower, clock, newId, commits } = this.#options;
    const { name, token } = this.lease;
    const occurredAt = isoOf(clock.now());
    // The events get their ids here, so that an append whose result was lost can be repeated.
    const complete = events.map((event) => ({ id: newId(), occurredAt, ...event }));
    const stored = this.#writes.then(async () => {
      await commits.join(follower.sessionId);
      try {
        const result = await store.append(follower.sessionId, complete, {
          ...options,
          lease: { name, token },
        });
        await follower.reaches(result.at(-1)?.sequence ?? 0);
        return result;
      } catch (error) {
        if (isContinuoError(error) && OVER.has(error.code)) this.end();
        throw error;
      }
    });
    this.#writes = stored.then(
      () => undefined,
      () => undefined,
    );
    return stored;
  }

  /** Takes a step of the state machine. Returns `false` if the trigger changes nothing. */
  async change(
    on: Trigger,
    options: {
      readonly reason?: string;
      readonly from?: LiveState;
      readonly expectedSequence?: number;
      readonly also?: readonly Write[];
      /** Events that are stored before the step. */
      readonly events?: readonly NewEvent[];
      /** The damage, for the trigger `fault`. */
      readonly damaged?: readonly Damage[];
    } = {},
  ): Promise<boolean> {
    const { fault } = this.#options.follower;
    const from = options.from ?? stateOfFold(this.#options.follower);
    const state = nextState(from, on);
    if (state === null) return false;
    const { reason, expectedSequence, also = [], events = [], damaged } = options;
    const data = present({ state, from, reason, damaged });
    const patch = { status: state };
    await this.append(
      [...events, { type: "session_state_changed", data }, { type: "session_updated", data: patch }],
      {
        also: [{ type: "session", patch }, ...also],
        ...(expectedSequence === undefined || fault !== null ? {} : { expectedSequence }),
      },
    );
    count("continuo.live.transitions", 1, { from, to: state });
    if (isFinal(state)) record("continuo.live.segments", this.#options.follower.fold.segments, { state });
    if (from === "degraded" && on === "expiry")
      count("continuo.live.alerts", 1, { reason: "degraded_abandoned" });
    return true;
  }

  /**
   * Records that the log cannot be trusted, and records it again when more damage is found. A finding does not count
   * if a repair came after it.
   */
  degrade(finding: DamageReport): Promise<void> {
    return this.#inTurn(() => this.#degrade(finding));
  }

  /** Makes a degraded session active, after the events that put aside what is damaged. Errors: those of the store. */
  repair(reason: string, events: readonly NewEvent[]): Promise<boolean> {
    return this.#inTurn(() => this.change("repair", { reason, events }));
  }

  async #degrade({ reason, damages, foundAt }: DamageReport): Promise<void> {
    const { store, follower } = this.#options;
    const session = await store.getSession(follower.sessionId);
    if (session === null || foundAt < follower.repairedAt) return;
    const damaged = damages.slice(0, LIMITS.quarantined);
    if (session.status !== "degraded") {
      // The damaged event may be the one that set the state, so the state comes from the row of the session.
      await this.change("fault", { reason, damaged, from: session.status as LiveState });
      return;
    }
    const known = new Set(follower.fold.damaged.map(({ sequence }) => sequence));
    if (damaged.every(({ sequence }) => known.has(sequence))) return;
    const data = { state: "degraded", from: "degraded", reason, damaged };
    await this.append([{ type: "session_state_changed", data }]);
  }

  /**
   * Copies the notes of the earlier session that this session continues, but only once. An owner that died may have
   * copied some of the notes already.
   */
  async carryNotes(): Promise<void> {
    const { store, follower } = this.#options;
    if (follower.fold.carry !== "due") return;
    await this.#inTurn(async () => {
      const { carry, parentId, notes } = follower.fold;
      if (carry !== "due" || parentId === null || this.#isDegraded) return;
      const events = await carriedEvents(store, parentId);
      const left = events.filter(({ data }) => !isFields(data) || !notes.has(String(data.noteId)));
      for (let n = 0; n < left.length; n += LIMITS.carriedAtOnce) {
        await this.append(left.slice(n, n + LIMITS.carriedAtOnce));
      }
      const data = { sessionId: parentId, count: events.length };
      await this.append([{ type: "notes_carried", data }]);
    });
  }

  /** Processes the pending evidence, as far as that succeeds within the time. */
  async flush(ms: number): Promise<void> {
    const until = performance.now() + ms;
    await this.#audio.flush(AbortSignal.timeout(ms));
    while (performance.now() < until && !this.isOver && depthOf(this.#options.follower.fold) > 0) {
      if (hasRoom(this.#options.follower.fold)) await this.#refill();
      const leftMs = until - performance.now();
      // The rest of the time is for the extractive writer.
      const signal = AbortSignal.timeout(
        Math.max(1, Math.ceil(Math.min(leftMs, leftMs - ms + LIMITS.closeWriterMs))),
      );
      const done = await Promise.all([...this.#lanes.values()].map((lane) => lane.processNow(signal)));
      if (!done.includes("processed")) return;
    }
  }

  /**
   * Lets the note writer finish the thought that it left open. Errors: those of the note writer after its last try, and
   * those of the store.
   */
  async finish(ms: number): Promise<void> {
    for (const lane of this.#lanes.values()) await lane.finish(AbortSignal.timeout(ms));
  }

  /** Writes the page at the end of the session; `ms` limits the call of a model, after which the outline is written. */
  writePage(ms: number): Promise<void> {
    return this.#page.finish(ms);
  }

  /** Closes requests that nobody answered; with `expired`, only those that have expired. Errors: those of the store. */
  async closeRequests(which: "expired" | "all"): Promise<void> {
    const { follower, clock } = this.#options;
    const isDue = (request: OpenRequest): boolean =>
      request.answer === null && (which === "all" || request.expiresAtMs <= clock.now());
    await this.#inTurn(async () => {
      const due = [...follower.fold.requests.values()].filter(isDue);
      if (due.length > 0) await this.append(await this.#unanswered(due));
    });
  }

  /** Writes a checkpoint without waiting for a batch; input does not wait for it. Errors: those of the store. */
  async checkpoint(): Promise<"written" | "nothing new"> {
    const { follower } = this.#options;
    const began = performance.now();
    const done = await recordTime("continuo.live.checkpoint.duration", () =>
      writeCheckpoint(follower.fold, (events, options) => this.append(events, options)),
    );
    if (done === "written") this.lastCheckpointMs = performance.now() - began;
    return done;
  }

  /** True if a stand-in wrote batches in place of the session's own note writer, which can still receive them. */
  get owes(): boolean {
    return [...this.#lanes.values()].some((lane) => lane.owes);
  }

  /** Stops the work. The next owner repeats work that was begun but not stored. */
  end(): void {
    if (this.isOver) return;
    this.#over.abort();
    this.#cancelTimer?.();
    for (const leave of this.#leave) leave();
    void this.#endWriter().catch((error: unknown) =>
      this.#options.report(`live: the note writer is not closed: ${messageOf(error)}`),
    );
    this.#options.onEnd();
  }

  async #endWriter(): Promise<void> {
    const { follower, writerOf } = this.#options;
    await writerOf(follower.fold.noteWriter).end?.(follower.sessionId);
  }

  #laneWork(lane: Lane): LaneWork {
    const { adaptiveBatching } = this.#options;
    return new LaneWork({
      ...this.#options,
      lane,
      mode: adaptiveBatching ? "adaptive" : "fixed",
      signal: this.#over.signal,
      append: (events) => this.append(events),
      inTurn: (work) => this.#inTurn(work),
      onIdle: () => this.#wake(),
    });
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turns.then(work, work);
    this.#turns = turn.catch(() => undefined);
    return turn;
  }

  async #unanswered(due: readonly OpenRequest[]): Promise<readonly NewEvent[]> {
    const { store, follower, clock } = this.#options;
    const { sessionId, fold } = follower;
    const events = await readSequences(
      store,
      sessionId,
      due.map(({ sequence }) => sequence),
    );
    const requests = due.flatMap(({ requestId, sequence }) => {
      const event = events.find((one) => one.sequence === sequence);
      const draft = event === undefined ? null : draftIn(event);
      return draft === null ? [] : [{ requestId, draft }];
    });
    const options = { ...this.#options, sessionId, fold, nowMs: clock.now(), signal: this.#over.signal };
    return decideUnanswered(requests, options);
  }

  /** Gives the lanes the evidence that was only counted until now. */
  async #refill(): Promise<void> {
    const { store, follower } = this.#options;
    await refill(store, follower.sessionId, follower.fold, addToPending);
    for (const lane of this.#lanes.values()) lane.begin(follower.fold);
  }

  #recordBudget(budget: BudgetState): Promise<unknown> {
    const { fold } = this.#options.follower;
    const share = Math.floor(usedShare(fold.cost, budgetOf(fold, this.#options.budget)) * 100);
    const { state } = fold;
    const data = { state, from: state, budget, reason: `${share} % of the budget is used` };
    return this.append([{ type: "session_state_changed", data }]);
  }

  /**
   * Records a take-over once for each earlier owner, because another owner object of this server may record the same
   * take-over at the same time.
   */
  async #restarted(takenFrom: number): Promise<void> {
    const { follower } = this.#options;
    // The event below must not end the fault, so the degraded state is recorded first.
    if (follower.fault !== null) {
      const { fault: reason, damages, fold } = follower;
      await this.degrade({ reason, damages, foundAt: fold.sequence }).catch(() => undefined);
    }
    const { state } = follower.fold;
    const data = { state, from: state, reason: "another server took the session over", restart: true };
    const id = `taken-over/${takenFrom}`;
    await this.append([{ id, type: "session_state_changed", data }]).catch(() => undefined);
  }

  /** Does what is due, and sets a timer for the next step. */
  #wake(): void {
    const { clock, follower, report, work = "all" } = this.#options;
    if (this.isOver || this.#busy === "writing" || work === "none") return;
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    const nowMs = clock.now();
    const write = nowMs < this.#retryAtMs ? null : this.#dueWrite(follower.fold, nowMs);
    if (write !== null) {
      this.#busy = "writing";
      void write()
        .catch((error: unknown) => {
          if (this.isOver || isContinuoError(error, "conflict")) return;
          this.#retryAtMs = clock.now() + LIMITS.firstRetryMs;
          report(`live: cannot write to ${follower.sessionId}: ${messageOf(error)}`);
        })
        .finally(() => {
          this.#busy = "free";
          this.#wake();
        });
      return;
    }
    this.#audio.startIfDue(nowMs);
    for (const lane of this.#lanes.values()) lane.startIfDue(nowMs);
    if (!this.#isDegraded) this.#page.startIfDue(nowMs);
    const nextMs = this.#nextMs(follower.fold, nowMs);
    if (nextMs !== null) this.#cancelTimer = clock.after(Math.max(1, nextMs - nowMs), () => this.#wake());
  }

  /** Returns the next write that is due, such as a state, a level or a checkpoint. */
  #dueWrite(fold: LiveFold, nowMs: number): (() => Promise<unknown>) | null {
    const { backpressure, levels } = this.#options;
    if (this.#isDegraded) return null;
    if (fold.carry === "due") return () => this.carryNotes();
    if (fold.lastInput > fold.stateSequence && (fold.state === "created" || fold.state === "idle")) {
      return () => this.change("input");
    }
    if (acceptsInput(fold.state) && nowMs >= this.#endsAtMs) return () => this.finish(LIMITS.writerMs);
    if (fold.state === "active" && nowMs - activeSince(fold) >= LIMITS.idleMs) {
      const expectedSequence = fold.sequence;
      return () => this.change("silence", { expectedSequence });
    }
    if (hasRoom(fold)) return () => this.#refill();
    const level = nextLevel(fold.level, depthOf(fold), levels);
    if (backpressure && level !== fold.level) {
      const { state } = fold;
      const data = { state, from: state, level, reason: `the depth is ${depthOf(fold)}` };
      return () => this.append([{ type: "session_state_changed", data }]);
    }
    const budget = budgetState(fold.cost, budgetOf(fold, this.#options.budget));
    if (budget !== fold.budget) return () => this.#recordBudget(budget);
    if (nextExpiryMs(fold) <= nowMs && acceptsInput(fold.state)) return () => this.closeRequests("expired");
    if (nowMs >= this.#checkpointAfterMs && isDueCheckpoint(fold, nowMs)) return () => this.#tryCheckpoint();
    return null;
  }

  get #isDegraded(): boolean {
    return stateOfFold(this.#options.follower) === "degraded";
  }

  get #endsAtMs(): number {
    // A lane with waiting words has no end yet: the words belong to the open thought, so they are processed first.
    // After a machine slept, the words and the end of the thought would be due at the same time.
    const lanes = [...this.#lanes.values()].filter((lane) => !lane.isWaiting);
    return Math.min(
      Number.POSITIVE_INFINITY,
      ...lanes.map((lane) => lane.endsAtMs ?? Number.POSITIVE_INFINITY),
    );
  }

  async #tryCheckpoint(): Promise<void> {
    try {
      await this.checkpoint();
      this.#checkpointFailures = 0;
      this.lastCheckpointError = null;
    } catch (error) {
      this.#checkpointFailures++;
      this.lastCheckpointError = messageOf(error);
      if (this.#checkpointFailures === LIMITS.checkpointAlert) {
        const { follower, report } = this.#options;
        count("continuo.live.alerts", 1, { reason: "checkpoint_failures" });
        report(
          `live: ${LIMITS.checkpointAlert} checkpoints of ${follower.sessionId} failed in a row: ${this.lastCheckpointError}`,
        );
      }
      this.#checkpointAfterMs = this.#options.clock.now() + checkpointRetryMs(this.#checkpointFailures);
    }
  }

  #nextMs(fold: LiveFold, nowMs: number): number | null {
    // Nothing becomes due before a repair, which gives the session to a new owner.
    if (this.#isDegraded) return null;
    const times = [...this.#lanes.values()].flatMap((lane) => lane.nextMs ?? []);
    if (this.#audio.nextMs !== null) times.push(this.#audio.nextMs);
    if (this.#page.dueMs !== null) times.push(this.#page.dueMs);
    if (fold.state === "active") times.push(activeSince(fold) + LIMITS.idleMs);
    if (acceptsInput(fold.state) && this.#endsAtMs < Number.POSITIVE_INFINITY) times.push(this.#endsAtMs);
    if (fold.eventsSinceCheckpoint > 0) {
      const sinceMs = fold.checkpoint?.atMs ?? fold.createdAtMs;
      times.push(Math.max(sinceMs + LIMITS.checkpointMs, this.#checkpointAfterMs));
    }
    if (acceptsInput(fold.state) && nextExpiryMs(fold) < Number.POSITIVE_INFINITY)
      times.push(nextExpiryMs(fold));
    if (this.#retryAtMs > nowMs) times.push(this.#retryAtMs);
    return times.length === 0 ? null : Math.max(nowMs + 1, Math.min(...times));
  }
}

function nextExpiryMs({ requests }: LiveFold): number {
  const open = [...requests.values()].filter(({ answer }) => answer === null);
  return Math.min(...open.map(({ expiresAtMs }) => expiresAtMs));
}

/** A repair makes a session active without input, so the time of the last state also counts. */
function activeSince({ lastInputAtMs, stateSinceMs, lastInput, stateSequence }: LiveFold): number {
  return lastInput > stateSequence ? lastInputAtMs : Math.max(lastInputAtMs, stateSinceMs);
}
