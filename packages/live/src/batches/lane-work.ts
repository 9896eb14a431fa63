/** The work of one lane of a session: it begins batches, tries them again, and appends their decisions. */

import { messageOf, type NewEvent, type Store, type StoredEvent } from "@continuo/core/model";
import { isInput, isSignal } from "@continuo/core/wire";
import { readSequences } from "../evidence/index.ts";
import {
  type Clock,
  countCitations,
  countDecisions,
  countDropped,
  type Embedder,
  isFields,
  isoOf,
  LIMITS,
  type LiveBudget,
  type NoteRules,
  type NoteWriter,
  type NoteWriterResult,
  pause,
  record,
} from "../kit/index.ts";
import {
  acceptsInput,
  budgetOf,
  budgetState,
  countsByType,
  type Follower,
  type LiveFold,
  type PendingEvidence,
} from "../state/index.ts";
import {
  afterFailure,
  CLOSED_BREAKER,
  extractiveWriter,
  lexicalEmbedder,
  mayTry,
  retryMs,
} from "../writers/index.ts";
import {
  afterBatch,
  afterMessage,
  type BatchingOptions,
  type BatchWindow,
  EMPTY_WINDOW,
  isDue,
  type WindowInput,
} from "./batch-window.ts";
import {
  type Batch,
  type BatchRunOptions,
  droppedEvents,
  isInLane,
  type Lane,
  planBatch,
} from "./batches.ts";
import { type BatchDecision, decideBatch } from "./decide-batch.ts";
import { writeDrafts } from "./drafts.ts";
import { noteRequest } from "./note-request.ts";
import { owedIn, redoOwed } from "./redo-batches.ts";

export interface LaneOptions extends BatchingOptions {
  readonly lane: Lane;
  readonly store: Store;
  readonly runStore: Store;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly writerOf: (name: string | null) => NoteWriter;
  readonly embedder: Embedder;
  readonly budget: LiveBudget | null;
  readonly rules: NoteRules;
  readonly follower: Follower;
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
  /** Appends as the owner. Errors: `fenced`, and those of the store. */
  readonly append: (events: readonly NewEvent[]) => Promise<readonly StoredEvent[]>;
  /** Runs decisions that change notes one after another, each from reading the notes to the append. */
  readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Called when a batch ended. */
  readonly onIdle: () => void;
}

interface BatchResult extends Pick<BatchDecision, "result" | "writer" | "answered" | "standsInFor"> {
  readonly embedder: Embedder;
  readonly signal: AbortSignal;
  /** The ids of the batch's evidence. */
  readonly batchIds: ReadonlySet<string>;
}

const EXTRACTIVE = extractiveWriter();

type WriterOutcome = Pick<BatchDecision, "result" | "writer" | "standsInFor">;

function standInReason(writer: string, error: unknown): string {
  const why = messageOf(error).replace(/\.$/u, "");
  return `The note writer ${writer} does not work (${why}). Until it works again, notes are made without a model.`;
}

type Outcome = "processed" | "failed" | "nothing";

export class LaneWork {
  readonly #options: LaneOptions;
  #window: BatchWindow = EMPTY_WINDOW;
  #breaker = CLOSED_BREAKER;
  #running: Promise<Outcome> | null = null;
  #phase: "working" | "waiting" = "working";
  /** The note writer failed, and is not asked before this time. */
  #awayUntilMs = 0;
  /**
   * The number of failed attempts in a row to redo the batches of a stand-in, and the earliest time of the next
   * attempt.
   */
  #redoFailures = 0;
  #redoAfterMs = 0;
  #call = new AbortController();
  /** The time of the last transcript. */
  #heardAtMs: number | null = null;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** True while a batch is in progress, except during the pause before a further try. */
  get isBusy(): boolean {
    return this.#running !== null && this.#phase === "working";
  }

  /** Takes over the evidence that an earlier owner left pending. */
  begin({ pending }: LiveFold): void {
    for (const one of pending.values()) {
      if (this.#begins(one)) this.#add({ atMs: one.atMs, kind: this.#kindOf(one) });
    }
  }

  receive(event: StoredEvent): void {
    const { lane } = this.#options;
    if (!isInput(event) || !isInLane(lane, event) || event.type === "voice_activity") return;
    const data = isFields(event.data) ? event.data : {};
    if (event.type === "playback_changed" && !this.#endsAtStop) return;
    if (event.type === "transcript_added") this.#heardAtMs = Date.parse(event.occurredAt);
    this.#add({
      atMs: Date.parse(event.occurredAt),
      kind: this.#kindOf({ type: event.type, ...(data.asked === true ? { isAsked: true } : {}) }),
      ...(typeof data.text === "string" ? { text: data.text } : {}),
      ...(typeof data.lang === "string" ? { lang: data.lang } : {}),
      ...(typeof data.mediaTimeMs === "number" ? { startMs: data.mediaTimeMs } : {}),
      ...(typeof data.endMs === "number" ? { endMs: data.endMs } : {}),
    });
  }

  /** The time at which the next step is due if nothing is appended before; `null` if nothing is due. */
  get nextMs(): number | null {
    if (this.#running !== null) return null;
    const { oldestAtMs, closesAtMs } = this.#window;
    const isOpen = oldestAtMs !== null && closesAtMs !== null;
    const times = isOpen ? [Math.max(closesAtMs, this.#breaker.openUntilMs ?? 0)] : [];
    if (this.owes) times.push(this.#redoAtMs);
    return times.length === 0 ? null : Math.min(...times);
  }

  startIfDue(nowMs: number): void {
    if (this.#running !== null) return;
    if (this.#options.follower.fault !== null || !acceptsInput(this.#options.follower.fold.state)) return;
    const isBatchDue = isDue(this.#window, nowMs) && mayTry(this.#breaker, nowMs);
    // New evidence is processed before the batches that a stand-in wrote.
    if (isBatchDue) void this.#start(this.#options.signal).then(() => this.#options.onIdle());
    else if (this.owes && nowMs >= this.#redoAtMs) void this.#redo().then(() => this.#options.onIdle());
  }

  /** True if a stand-in wrote batches that can be given to the session's own writer. */
  get owes(): boolean {
    const { lane, follower } = this.#options;
    const { fold } = follower;
    return (
      owedIn(fold, lane).length > 0 && acceptsInput(fold.state) && this.#writer().name !== EXTRACTIVE.name
    );
  }

  get #redoAtMs(): number {
    return Math.max(this.#awayUntilMs, this.#redoAfterMs);
  }

  async #redo(): Promise<void> {
    const { clock, signal, follower, report } = this.#options;
    // The end of the session does not wait for this work.
    this.#call = new AbortController();
    const call = AbortSignal.any([signal, this.#call.signal]);
    const redo = { ...this.#options, writer: this.#writer(), nowMs: clock.now(), signal: call };
    const redoing = redoOwed(redo).then(
      (): Outcome => {
        this.#redoFailures = 0;
        return "processed";
      },
      (error: unknown): Outcome => {
        const pauseMs = Math.min(LIMITS.owedRetryMs, LIMITS.breakerMs * 2 ** this.#redoFailures++);
        this.#redoAfterMs = clock.now() + pauseMs;
        if (!signal.aborted && this.#redoFailures === 1)
          report(`live: batches of ${follower.sessionId} are not written again yet: ${messageOf(error)}`);
        return "failed";
      },
    );
    this.#running = redoing.finally(() => {
      this.#running = null;
    });
    await this.#running;
  }

  /**
   * True if a stop of the video closes the window: words wait for a batch, or a thought is open. Otherwise there is
   * nothing to write, and no model is called.
   */
  get #endsAtStop(): boolean {
    return this.isWaiting || (this.#writer().hasOpen !== undefined && this.#hasOpen);
  }

  /** True if words wait for the next batch. */
  get isWaiting(): boolean {
    return this.#window.oldestAtMs !== null;
  }

  /**
   * The time at which the open thought of the writer must be finished if nobody speaks before; `null` if no thought is
   * open.
   */
  get endsAtMs(): number | null {
    const { lane, follower } = this.#options;
    if (lane === "supplementary" || this.#running !== null) return null;
    if (!this.#hasOpen) return null;
    return (this.#heardAtMs ?? follower.fold.lastInputAtMs) + LIMITS.endMs;
  }

  get #hasOpen(): boolean {
    const { memory, standIn } = this.#options.follower.fold;
    if (standIn !== null && EXTRACTIVE.hasOpen?.(standIn.memory) === true) return true;
    return this.#writer().hasOpen?.(memory) === true;
  }

  /** Lets the writer finish its open thought. Errors: those of a batch after its last try. */
  async finish(signal: AbortSignal): Promise<void> {
    await this.#idle(signal);
    if (this.endsAtMs === null) return;
    const { lane, newId } = this.#options;
    const batch: Batch = { batchId: newId(), lane, given: [], dropped: [], isEnd: true };
    const ending = this.#processBatch(batch, [], AbortSignal.any([signal, this.#options.signal]));
    this.#running = ending
      .then(
        (): Outcome => "processed",
        (): Outcome => "failed",
      )
      .finally(() => {
        this.#running = null;
      });
    await ending;
  }

  /** Waits for the batch in progress. When the signal aborts, the extractive writer takes it over. */
  async #idle(signal: AbortSignal): Promise<void> {
    const end = (): void => this.#call.abort();
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
    await this.#running;
    signal.removeEventListener("abort", end);
  }

  /** Processes a batch without waiting for the window to close. */
  async processNow(signal: AbortSignal): Promise<Outcome> {
    await this.#idle(signal);
    return this.#start(AbortSignal.any([signal, this.#options.signal]), "now");
  }

  #start(signal: AbortSignal, due: "window" | "now" = "window"): Promise<Outcome> {
    this.#running ??= this.#process(signal, due)
      .catch((error: unknown): Outcome => {
        this.#failed(error);
        return "failed";
      })
      .finally(() => {
        this.#running = null;
      });
    return this.#running;
  }

  async #process(signal: AbortSignal, due: "window" | "now"): Promise<Outcome> {
    const { follower, lane, newId, clock, append } = this.#options;
    const planned = planBatch(follower.fold, lane, newId());
    if (planned === null) {
      this.#window = afterBatch(this.#window, []);
      return "nothing";
    }
    const batch: Batch = due === "window" ? { ...planned, goesOn: true } : planned;
    const dropped = droppedEvents(batch, isoOf(clock.now()));
    if (batch.given.length === 0) await append(dropped);
    else await this.#processBatch(batch, dropped, signal);
    countDropped(countsByType(batch.dropped));
    this.#breaker = CLOSED_BREAKER;
    this.#window = afterBatch(this.#window, this.#left(), { stretch: this.#stretch });
    return "processed";
  }

  /** Errors: those of the writer or of the embedder after its last try, and those of the store. */
  async #processBatch(batch: Batch, dropped: readonly NewEvent[], signal: AbortSignal): Promise<void> {
    const { store, runStore, follower } = this.#options;
    const { sessionId, fold } = follower;
    const sequences = batch.given.map(({ sequence }) => sequence);
    const evidence = await readSequences(store, sessionId, sequences);
    const { events: given, request } = await noteRequest({
      store,
      sessionId,
      fold,
      batch,
      evidence,
      isEnd: batch.isEnd,
      nowMs: this.#options.clock.now(),
    });
    const kept = new Set(given.map(({ sequence }) => sequence));
    const whole = { ...batch, given: batch.given.filter(({ sequence }) => kept.has(sequence)) };
    const embedder = this.#isSpent ? lexicalEmbedder() : this.#options.embedder;
    let written: WriterOutcome | undefined;
    for (let tried = 1; ; tried++) {
      try {
        if (tried > 1 && (await this.#isDecided(whole))) return;
        // When only the decision failed, the writer is not asked again.
        written ??= await this.#written({ store: runStore, sessionId, batch: whole, request, signal });
        const answered = request.answered.map(({ draft }) => draft);
        const isModelAway = written.standsInFor !== undefined;
        await this.#decide(whole, dropped, {
          ...written,
          answered,
          embedder: isModelAway ? lexicalEmbedder() : embedder,
          signal,
          batchIds: new Set(given.map(({ id }) => id)),
        });
        return;
      } catch (error) {
        if (tried > LIMITS.retries || signal.aborted) throw error;
      }
      await this.#pause(tried, signal);
    }
  }

  async #pause(tried: number, signal: AbortSignal): Promise<void> {
    this.#phase = "waiting";
    try {
      await pause(this.#options.clock, retryMs(tried), signal);
    } finally {
      this.#phase = "working";
    }
  }

  /**
   * The drafts of the session's writer. After its last try failed, the extractive writer stands in for it. Errors:
   * those of the store, and those of the extractive writer.
   */
  async #written(options: Omit<BatchRunOptions, "writer">): Promise<WriterOutcome> {
    const { clock, follower } = this.#options;
    const writer = this.#writer();
    const { standIn, memory } = follower.fold;
    let failure = standIn?.reason ?? null;
    if (writer.name === EXTRACTIVE.name) return this.#askWriter(writer, options);
    // At the end of a session, the open thought can be that of the stand-in.
    const isAsked = !options.batch.isEnd || standIn === null || writer.hasOpen?.(memory) === true;
    for (let tried = 1; isAsked && clock.now() >= this.#awayUntilMs; tried++) {
      const beganMs = performance.now();
      this.#call = new AbortController();
      const signal = AbortSignal.any([options.signal, this.#call.signal]);
      try {
        const own = await this.#askWriter(writer, { ...options, signal });
        this.#awayUntilMs = 0;
        return own;
      } catch (error) {
        if (this.#options.signal.aborted) throw error;
        failure = standInReason(writer.name, error);
        const wasLong = performance.now() - beganMs > LIMITS.longFailureMs;
        if (tried > LIMITS.retries || wasLong || signal.aborted) {
          this.#awayUntilMs = clock.now() + LIMITS.breakerMs;
          break;
        }
      }
      // When the session closes, the signal ends the pause, and the stand-in writes the notes.
      await this.#pause(tried, signal).catch(() => undefined);
      if (!signal.aborted) continue;
      this.#awayUntilMs = clock.now() + LIMITS.breakerMs;
      break;
    }
    const reason = failure ?? standInReason(writer.name, "it failed");
    return { result: await this.#extract(options), writer: EXTRACTIVE.name, standsInFor: reason };
  }

  /** The drafts of the session's writer, after those from the thought that the stand-in left open. */
  async #askWriter(writer: NoteWriter, options: Omit<BatchRunOptions, "writer">): Promise<WriterOutcome> {
    const result = await writeDrafts({ ...options, rules: this.#options.rules, writer });
    const { standIn } = this.#options.follower.fold;
    if (standIn === null || EXTRACTIVE.hasOpen?.(standIn.memory) !== true)
      return { result, writer: writer.name };
    const { batch, request } = options;
    const rest = await this.#extract({
      ...options,
      batch: { ...batch, given: [], isEnd: true },
      request: { ...request, evidence: [], answered: [], isEnd: true },
    });
    const left = rest.drafts.map((draft) => ({ ...draft, draftId: `${draft.draftId}/left` }));
    return { result: { ...result, drafts: [...left, ...result.drafts] }, writer: writer.name };
  }

  #extract(options: Omit<BatchRunOptions, "writer">): Promise<NoteWriterResult> {
    const { follower, signal } = this.#options;
    const request = { ...options.request, memory: follower.fold.standIn?.memory ?? null, unsure: [] };
    return writeDrafts({ ...options, rules: this.#options.rules, request, writer: EXTRACTIVE, signal });
  }

  get #isSpent(): boolean {
    const { follower, budget } = this.#options;
    return budgetState(follower.fold.cost, budgetOf(follower.fold, budget)) === "spent";
  }

  #writer(): NoteWriter {
    const { follower, writerOf } = this.#options;
    return this.#isSpent ? EXTRACTIVE : writerOf(follower.fold.noteWriter);
  }

  /** True if the decision was stored although the append reported an error. */
  async #isDecided({ given, isEnd }: Batch): Promise<boolean> {
    const { store, follower } = this.#options;
    await follower.reaches(await store.latestSequence(follower.sessionId));
    if (isEnd) return !this.#hasOpen;
    return !given.some(({ sequence }) => follower.fold.pending.has(sequence));
  }

  async #decide(
    { batchId, lane, given, isEnd }: Batch,
    dropped: readonly NewEvent[],
    { signal, embedder, batchIds, ...written }: BatchResult,
  ): Promise<void> {
    const { follower, clock, append, inTurn } = this.#options;
    const sequences = given.map(({ sequence }) => sequence);
    const { sessionId, fold } = follower;
    await inTurn(async () => {
      const options = { ...this.#options, sessionId, fold, embedder, nowMs: clock.now(), signal };
      const decided = await decideBatch({ batchId, lane, sequences, isEnd, ...written }, options);
      await append([...dropped, ...decided]);
      if (!isEnd) record("continuo.live.batch.size", given.length, { lane });
      countDecisions(decided);
      countCitations(decided, batchIds);
    });
  }

  /** The evidence stays pending. */
  #failed(error: unknown): void {
    const { clock, append, signal, follower } = this.#options;
    const nowMs = clock.now();
    this.#breaker = afterFailure(this.#breaker, nowMs);
    this.#window = { ...this.#window, closesAtMs: nowMs + LIMITS.windowMs };
    if (signal.aborted) return;
    const message = messageOf(error);
    if (follower.fold.health.lastError === message) return;
    void append([{ type: "error_raised", data: { message } }]).catch(() => undefined);
  }

  #left(): readonly WindowInput[] {
    const { follower } = this.#options;
    return [...follower.fold.pending.values()]
      .filter((one) => this.#begins(one) || this.#isOpenStop(one))
      .map((one) => ({ atMs: one.atMs, kind: this.#kindOf(one) }));
  }

  /** A stop that came during a batch still ends the thought that is open. */
  #isOpenStop(one: PendingEvidence): boolean {
    const isFree = this.#writer().hasOpen !== undefined;
    return isFree && one.type === "playback_changed" && isInLane(this.#options.lane, one) && this.#hasOpen;
  }

  /** Signals without other evidence begin no batch: they are part of the next one. */
  #begins(one: PendingEvidence): boolean {
    return isInLane(this.#options.lane, one) && !isSignal(one.type);
  }

  #add(message: WindowInput): void {
    this.#window = afterMessage(this.#window, message, {
      mode: this.#options.mode,
      // A writer that keeps thoughts open calls no model.
      writer: this.#writer().hasOpen === undefined ? "model" : "free",
      stretch: this.#stretch,
    });
  }

  /** From 80 % of the budget on, fewer and larger batches cost less. */
  get #stretch(): number {
    return this.#options.follower.fold.budget === "warning" ? LIMITS.budgetStretch : 1;
  }

  #kindOf({ type, isAsked }: Pick<PendingEvidence, "type" | "isAsked">): WindowInput["kind"] {
    if (type === "transcript_added") return "transcript";
    // A frame begins a batch if a person captured it, and in the supplementary lane.
    const begins = isAsked === true || this.#options.lane === "supplementary";
    if (type === "frame_captured") return begins ? "remark" : "frame";
    if (type === "playback_changed") return "stop";
    return type === "remark_added" ? "remark" : "note";
  }
}
