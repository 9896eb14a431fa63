/**
 * Whose turn it is. Runs of a session wait in the store, in the order in which they were started, whichever
 * process has them; who holds the session's lease runs it. Sessions run in parallel, so many at a time.
 */

import { ContinuoError, type Run, type Store } from "../model/index.ts";
import { type HeldLease, type HoldOptions, holdLease, runLease, sessionLease } from "./lease.ts";
import { LIMITS } from "./limits.ts";
import { isGone } from "./owner.ts";
import { pause } from "./stops.ts";

export interface QueueOptions {
  readonly owner: string;
  readonly leaseMs: number;
  readonly maxParallel: number;
  readonly signal?: AbortSignal;
}

export interface OwnTurn {
  readonly lease: HeldLease;
  /** Of this session, when it began: those that say they run are of processes that ended. */
  readonly others: readonly Run[];
  release(): Promise<void>;
}

const ENDS = ["run_completed", "run_failed", "run_cancelled", "run_timed_out", "run_interrupted"];

/**
 * Waits until it is the run's turn. `null` when the run ended while it waited (somebody cancelled it), or the
 * signal aborted. Errors: `invalid_transition` when it began elsewhere.
 */
export async function takeTurn(store: Store, run: Run, options: QueueOptions): Promise<OwnTurn | null> {
  const { signal, leaseMs } = options;
  const { sessionId, runId } = run;
  const patience = new Patience(leaseMs);
  let place: HeldLease | null = null;
  try {
    for (;;) {
      if (signal?.aborted === true) return null;
      const after = await store.latestSequence(sessionId);
      const line = await lineOf(store, run);
      if (line === "ended") return null;
      const before = line.slice(
        0,
        line.findIndex((other) => other.runId === runId),
      );
      const turn = (await isFirst(store, before, patience)) ? await tryTurn(store, run, options) : null;
      if (turn !== null) return turn;
      place ??= await holdLease(store, runLease(runId), options);
      const isRunning = before.some(({ status }) => status === "running");
      const ms = isRunning ? Math.min(LIMITS.pollMs, leaseMs / 3) : LIMITS.shortPollMs;
      await change(store, sessionId, { after, ms, ...(signal === undefined ? {} : { signal }) });
    }
  } finally {
    await place?.release();
  }
}

/** Runs of the session that did not end, oldest first. */
async function lineOf(store: Store, { sessionId, runId }: Run): Promise<readonly Run[] | "ended"> {
  const { items } = await store.listRuns({ sessionId, status: ["pending", "running"], limit: 1_000 });
  const own = items.find((other) => other.runId === runId) ?? (await store.getRun(runId));
  if (own?.status === "pending") return items;
  if (own === null || own === undefined || own.status === "running") {
    throw new ContinuoError("invalid_transition", `The run ${runId} is executed elsewhere already.`, {
      details: { runId, status: own?.status ?? null },
    });
  }
  return "ended";
}

/** Nothing before it that runs, and nobody who waits. */
async function isFirst(store: Store, before: readonly Run[], patience: Patience): Promise<boolean> {
  for (const { runId, status } of before) {
    // The lease of the session tells whether it really runs.
    if (status === "running") continue;
    const lease = await store.getLease(runLease(runId));
    if (lease === null ? !patience.isOver(runId) : !isGone(lease.owner)) return false;
  }
  return true;
}

/** A run that was just started has nobody who waits with it yet: somebody may come. */
class Patience {
  readonly #ms: number;
  readonly #since = new Map<string, number>();

  constructor(ms: number) {
    this.#ms = ms;
  }

  isOver(runId: string): boolean {
    const since = this.#since.get(runId) ?? performance.now();
    this.#since.set(runId, since);
    return performance.now() - since > this.#ms;
  }
}

async function tryTurn(store: Store, run: Run, options: QueueOptions): Promise<OwnTurn | null> {
  const free = await takeSlot(store, options);
  if (free === null) return null;
  const hold: HoldOptions = options;
  const lease = await holdLease(store, sessionLease(run.sessionId), hold).catch((error: unknown) => {
    free();
    throw error;
  });
  if (lease === null) {
    free();
    return null;
  }
  const release = async (): Promise<void> => {
    free();
    await lease.release();
  };
  try {
    // Looked at under the lease: nobody else begins a run now.
    const line = await lineOf(store, run);
    if (line !== "ended") {
      return { lease, release, others: line.filter(({ status }) => status === "running") };
    }
  } catch (error) {
    await release();
    throw error;
  }
  await release();
  return null;
}

/** Resolves when a run of the session ended, or after a while. */
async function change(
  store: Store,
  sessionId: string,
  { after, ms, signal }: { readonly after: number; readonly ms: number; readonly signal?: AbortSignal },
): Promise<void> {
  const over = new AbortController();
  const end = (): void => over.abort();
  signal?.addEventListener("abort", end, { once: true });
  const timer = setTimeout(end, ms);
  try {
    for await (const _ of store.tail(sessionId, { after, types: ENDS, signal: over.signal })) return;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
  }
  if (signal?.aborted !== true && !over.signal.aborted) await pause(ms, signal);
}

interface Slots {
  taken: number;
  readonly waiting: (() => void)[];
}

const SLOTS = new WeakMap<Store, Slots>();

/** Of this process. Gives what lets the slot go again; `null` when the signal aborted. */
async function takeSlot(
  store: Store,
  { maxParallel, signal }: { readonly maxParallel: number; readonly signal?: AbortSignal },
): Promise<(() => void) | null> {
  const slots = SLOTS.get(store) ?? { taken: 0, waiting: [] };
  SLOTS.set(store, slots);
  while (slots.taken >= maxParallel) {
    await new Promise<void>((resolve) => {
      slots.waiting.push(resolve);
      signal?.addEventListener("abort", () => resolve(), { once: true });
    });
    if (signal?.aborted === true) return null;
  }
  slots.taken++;
  return () => {
    slots.taken--;
    // All look again: those that gave up must not swallow the turn of others.
    for (const look of slots.waiting.splice(0)) look();
  };
}
