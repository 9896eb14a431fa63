/** After a crash, ends the runs and messages that have no end, and offers unanswered input again. */

import {
  assertKnownOptions,
  type Block,
  ContinuoError,
  isContinuoError,
  type KnownOptions,
  type Lease,
  listAll,
  type Run,
  readAll,
  type Store,
} from "@continuo/core/model";
import { isOwnerGone } from "@continuo/files";
import { newId } from "./ids.ts";
import { isInput, toBlocks } from "./input.ts";
import { type InterruptOptions, interruptRun, NOBODY_WAITS, PROCESS_ENDED } from "./interrupt.ts";
import { type HeldLease, holdLease, runLease, runnerOf, sessionLease } from "./lease.ts";
import { LIMITS } from "./limits.ts";
import { isClaimed, isLeftBehind } from "./live-runs.ts";
import { patientStore } from "./patient-store.ts";
import { latestAttempt, type RetryDecision, rootIn } from "./retries.ts";

export interface WakeOptions {
  readonly leaseMs?: number;
  /** `keep` for programs with workers, which execute waiting runs, however long they wait; `end` by default. */
  readonly pending?: "end" | "keep";
  /** Asked before the end of a run is stored: the next attempt is stored together with the end. */
  readonly retry?: RetryDecision;
  readonly signal?: AbortSignal;
}

/** Input that no agent answered completely. `startRun(store, sessionId, input, { retryOf: runId })` gives it again. */
export interface OfferedInput {
  /** The run that was interrupted. */
  readonly runId: string;
  readonly input: readonly Block[];
  /** The sequence of its `run_created` in the session's log. */
  readonly sequence: number;
}

export interface WakeResult {
  readonly sessionId: string;
  /** Runs that this call ended. */
  readonly interrupted: readonly string[];
  /** Oldest first. Empty while another process runs the session. */
  readonly unprocessed: readonly OfferedInput[];
  /** The two cursors: input up to here was given to an agent, and input up to here was answered. */
  readonly received: number;
  readonly processed: number;
  /** The process that runs the session now; in this case nothing was done. Call it again when the lease has expired. */
  readonly heldBy: Pick<Lease, "owner" | "expiresAt"> | null;
}

const OPTIONS: KnownOptions<WakeOptions> = { leaseMs: true, pending: true, retry: true, signal: true };

/**
 * Ends runs of processes that are gone as `interrupted`. A process counts as gone if it ended on this machine (Linux),
 * or if its lease of the session expired; a waiting run is ended if no caller waits for it. Errors: `not_found`.
 */
export async function wake(given: Store, sessionId: string, options: WakeOptions = {}): Promise<WakeResult> {
  assertKnownOptions("wake", options, OPTIONS);
  const { leaseMs = LIMITS.leaseMs, pending = "end", retry, signal } = options;
  const call = signal === undefined ? {} : { signal };
  const store = patientStore(given, { storeMs: LIMITS.storeMs, ...call });
  if ((await store.getSession(sessionId, call)) === null) {
    throw new ContinuoError("not_found", `there is no session ${JSON.stringify(sessionId)}`, {
      hint: "Create it first: `SessionManager.startSession(store, { sessionId })`.",
      hintFor: "program",
      details: { sessionId },
    });
  }
  // A worker asks this for each running session every few seconds; taking a lease would be a write, and this is only a
  // read.
  const runner = await runnerOf(store, sessionId, call);
  if (runner !== null) return await held(store, sessionId, runner);
  const status = pending === "keep" ? (["running"] as const) : (["pending", "running"] as const);
  if ((await store.listRuns({ sessionId, status, limit: 1, ...call })).items.length === 0) {
    const unprocessed = await offeredInputs(store, sessionId);
    return { sessionId, interrupted: [], unprocessed, ...(await cursors(store, sessionId)), heldBy: null };
  }
  const lease = await holdLease(store, sessionLease(sessionId), { owner: newId(), leaseMs, ...call });
  if (lease === null) return await held(store, sessionId, await runnerOf(store, sessionId, call));
  try {
    const interrupted: string[] = [];
    for (const run of await Array.fromAsync(runsOf(store, sessionId, status))) {
      // The owner of the run is about to take the lease.
      const isFresh =
        isClaimed(run) &&
        !isOwnerGone(run.owner ?? "") &&
        lease.givenAt - Date.parse(run.startedAt ?? "") < leaseMs;
      if (isFresh) continue;
      const isEnded =
        run.status === "running"
          ? await endRun(store, run, { lease, retry })
          : await endPending(store, run, lease, leaseMs);
      if (isEnded) interrupted.push(run.runId);
    }
    const unprocessed = await offeredInputs(store, sessionId);
    return { sessionId, interrupted, unprocessed, ...(await cursors(store, sessionId)), heldBy: null };
  } finally {
    await lease.release();
  }
}

async function held(store: Store, sessionId: string, holder: Lease | null): Promise<WakeResult> {
  const heldBy = { owner: holder?.owner ?? "", expiresAt: holder?.expiresAt ?? new Date().toISOString() };
  return { sessionId, interrupted: [], unprocessed: [], ...(await cursors(store, sessionId)), heldBy };
}

/** Returns `false` if somebody ended the run in the meantime, or had asked to cancel it. */
async function endRun(
  store: Store,
  run: Run,
  { lease, retry }: Pick<InterruptOptions, "lease" | "retry">,
): Promise<boolean> {
  try {
    const reason = run.status === "running" ? PROCESS_ENDED : NOBODY_WAITS;
    return (await interruptRun(store, run, { lease, reason, retry })) === "interrupted";
  } catch (error) {
    if (!isContinuoError(error, "invalid_transition")) throw error;
    return false;
  }
}

/** Ends a waiting run, unless a caller waits for it, or may be about to. */
async function endPending(store: Store, run: Run, lease: HeldLease, leaseMs: number): Promise<boolean> {
  if (!(await isLeftBehind(store, run, { now: lease.givenAt, leaseMs }))) return false;
  // While this call has the lease of the waiting run, no caller begins to wait for the run.
  const place = await holdLease(store, runLease(run.runId), { owner: newId(), leaseMs });
  if (place === null) return false;
  try {
    return await endRun(store, run, { lease });
  } finally {
    await place.release();
  }
}

async function cursors(store: Store, sessionId: string): Promise<Pick<WakeResult, "received" | "processed">> {
  const [received, processed] = await Promise.all(
    ["received", "processed"].map((name) => store.getCursor({ logId: sessionId, name })),
  );
  return { received: received?.sequence ?? 0, processed: processed?.sequence ?? 0 };
}

/** Input of interrupted runs that no later run has, and that comes after the cursor `processed`. */
export async function offeredInputs(store: Store, sessionId: string): Promise<readonly OfferedInput[]> {
  const { processed } = await cursors(store, sessionId);
  const result: OfferedInput[] = [];
  for await (const run of unanswered(store, sessionId, processed)) {
    if (!isInput(run.input)) continue;
    const sequence = await createdAt(store, run);
    if (sequence <= processed) continue;
    result.push({ runId: run.runId, input: toBlocks(run.input), sequence });
    if (result.length === LIMITS.offeredInputs) break;
  }
  return result.sort((a, b) => a.sequence - b.sequence);
}

export interface InputPlace {
  /** After the answer to this input, all input up to this sequence has an answer. */
  readonly sequence: number;
  /** True if earlier input waits, or was interrupted and not given again. */
  readonly older: boolean;
}

const ENDED_OR_MADE = ["run_created", "run_interrupted"];

/** Usually reads only one page: the runs that were created and interrupted after the last answered input. */
export async function placeOfInput(store: Store, run: Run): Promise<InputPlace> {
  const { sessionId, runId } = run;
  const processed = await store.getCursor({ logId: sessionId, name: "processed" });
  const page = { after: processed?.sequence ?? 0, types: ENDED_OR_MADE, limit: PAGE_RUNS };
  const { events, nextAfter } = await store.read(sessionId, page);
  const created = events.find((event) => event.type === "run_created" && event.runId === runId);
  const sequence = created?.sequence ?? (await createdAt(store, run));
  const isSettled = nextAfter === null && events.every(({ type }) => type === "run_created");
  const isAlone = events.every((event) => event.type !== "run_created" || event.sequence >= sequence);
  const [first, second] = isAlone ? [] : await frontOf(store, sessionId);
  // If an older run is first in the queue, nobody executes it: its input is offered after this run has ended.
  const hasPassed = first !== undefined && first.runId !== runId;
  const older = hasPassed || (!isSettled && (await hasUnanswered(store, sessionId)));
  // A later attempt has the place of the first attempt, before messages that were stored in the meantime.
  const isBefore = second !== undefined && rootIn(run) !== runId;
  return { sequence: isBefore ? await createdAt(store, { sessionId, runId: rootIn(run) }) : sequence, older };
}

/** The first two runs of the queue that have not ended. */
async function frontOf(store: Store, sessionId: string): Promise<readonly Run[]> {
  const status = ["pending", "running"] as const;
  return (await store.listRuns({ sessionId, status, order: "queue", limit: 2 })).items;
}

async function hasUnanswered(store: Store, sessionId: string): Promise<boolean> {
  const processed = await store.getCursor({ logId: sessionId, name: "processed" });
  for await (const _ of unanswered(store, sessionId, processed?.sequence ?? 0)) return true;
  return false;
}

/**
 * Interrupted runs whose input no later run has, in the order in which they were interrupted. A run ends after its
 * beginning: runs that were interrupted before the cursor `processed` also began before it, and are not read.
 */
async function* unanswered(store: Store, sessionId: string, processed: number): AsyncGenerator<Run> {
  const place = { after: processed, types: ["run_interrupted"], limit: PAGE_RUNS };
  for await (const { runId } of readAll(store, sessionId, place)) {
    const run = runId === undefined ? null : await store.getRun(runId);
    if (run?.status !== "interrupted") continue;
    if ((await latestAttempt(store, rootIn(run), {})) === run.runId) yield run;
  }
}

/** The sequence of the event that journalled the run's input; 0 if there is none. */
async function createdAt(
  store: Store,
  { sessionId, runId }: Pick<Run, "sessionId" | "runId">,
): Promise<number> {
  const { events } = await store.read(sessionId, { runId, types: ["run_created"], limit: 1 });
  return events[0]?.sequence ?? 0;
}

const PAGE_RUNS = 1_000;

/** Returns all runs of the session with one of these statuses, however many there are. */
function runsOf(store: Store, sessionId: string, status: readonly Run["status"][]): AsyncGenerator<Run> {
  return listAll((place) => store.listRuns({ sessionId, status, limit: PAGE_RUNS, ...place }));
}
