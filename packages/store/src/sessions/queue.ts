/**
 * Decides which run is next. The runs of a session wait in the store, in the order in which their inputs were given, no
 * matter which process started them; the process with the session's lease executes a run. Sessions run in parallel, up
 * to a limit.
 */

import {
  ContinuoError,
  present,
  RUN_END_STATUSES,
  RUN_EVENTS,
  type Run,
  type Store,
} from "@continuo/core/model";
import { isOwnerGone } from "@continuo/files";
import { type HeldLease, type HoldOptions, holdLease, isLetGo, runLease, sessionLease } from "./lease.ts";
import { LIMITS } from "./limits.ts";
import { isClaimed, isFreshHere, readStarter } from "./live-runs.ts";
import { pause } from "./stops.ts";

export interface QueueOptions {
  readonly owner: string;
  readonly leaseMs: number;
  readonly maxParallel: number;
  /** The store as the caller has it, whose sessions are counted. */
  readonly caller: Store;
  readonly signal?: AbortSignal;
}

export interface QueuePosition {
  readonly lease: HeldLease;
  /** Other runs of this session that are marked as running when this one begins: their processes have ended. */
  readonly others: readonly Run[];
  release(): Promise<void>;
}

const ENDS = RUN_END_STATUSES.map((status) => RUN_EVENTS[status]);

/**
 * Waits until it is the run's turn. Returns `null` if the run ended while it waited (somebody cancelled it), or if the
 * signal aborted. Errors: `invalid_transition` if another process began the run.
 */
export async function takeTurn(store: Store, run: Run, options: QueueOptions): Promise<QueuePosition | null> {
  const { signal, leaseMs, owner } = options;
  const { sessionId, runId } = run;
  // The signal is left out, so that a run that its caller gives up gets an end and leaves no lease.
  const hold: HoldOptions = { owner, leaseMs };
  const patience = new Patience(leaseMs);
  // No other process takes a run that was just started here. For any other run, a lease shows that this process has it.
  let place = isFreshHere(run, leaseMs) ? null : await holdLease(store, runLease(runId), hold);
  try {
    if (isAborted(signal)) return null;
    // Usually no run of the session is running or waiting.
    const isRoom = slotsOf(options.caller).taken < options.maxParallel;
    const atOnce = isRoom ? await tryTurn(store, run, options, (before) => before.every(isRunning)) : null;
    if (atOnce !== null) return atOnce;
    // From here on the wait may be long, and all processes must see that a caller waits.
    place ??= await holdLease(store, runLease(runId), hold);
    for (;;) {
      if (isAborted(signal)) return null;
      const after = await store.latestSequence(sessionId);
      const line = await lineOf(store, run);
      if (line === "ended") return null;
      const before = beforeIn(line, runId);
      const turn = (await isFirst(store, before, patience)) ? await tryTurn(store, run, options) : null;
      if (turn !== null) return turn;
      place ??= await holdLease(store, runLease(runId), hold);
      const ms = before.some(isRunning) ? Math.min(LIMITS.pollMs, leaseMs / 3) : LIMITS.shortPollMs;
      await change(store, sessionId, present({ after, ms, signal }));
    }
  } finally {
    await place?.release();
  }
}

/** Returns the runs of the session that have not ended, in their order; `"ended"` if this run has ended. */
async function lineOf(store: Store, run: Run): Promise<readonly Run[] | "ended"> {
  const { sessionId, runId } = run;
  const { items } = await store.listRuns({
    sessionId,
    status: ["pending", "running"],
    order: "queue",
    limit: 1_000,
  });
  const own = items.find((other) => other.runId === runId) ?? (await store.getRun(runId));
  if (own?.status === "pending" || (own?.owner === run.owner && own !== null && isClaimed(own))) return items;
  if (own === null || own === undefined || own.status === "running") {
    throw new ContinuoError("invalid_transition", `the run ${runId} is already executed by another process`, {
      details: { runId, status: own?.status ?? null },
    });
  }
  return "ended";
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** Returns false for a claimed run: its owner is about to take the session's lease, but does not have it yet. */
function isRunning(run: Run): boolean {
  return run.status === "running" && !isClaimed(run);
}

function beforeIn(line: readonly Run[], runId: string): readonly Run[] {
  return line.slice(
    0,
    line.findIndex((other) => other.runId === runId),
  );
}

/** Returns true if nobody waits to begin a run that comes before this run. */
async function isFirst(store: Store, before: readonly Run[], patience: Patience): Promise<boolean> {
  for (const run of before) {
    const { runId } = run;
    // The lease of the session shows whether the run is really running.
    if (isRunning(run)) continue;
    const lease = await store.getLease(runLease(runId));
    const isLeft = lease === null ? await isAbandoned(store, run, patience) : isLetGo(lease);
    if (!isLeft) return false;
  }
  return true;
}

/** Returns true if the process that started the run has ended, or if no process took the run in time. */
async function isAbandoned(store: Store, run: Run, patience: Patience): Promise<boolean> {
  return patience.isOver(run.runId) || isOwnerGone((await readStarter(store, run)) ?? "");
}

/** Gives the caller of a run that was just started some time, because it may still come to wait for the run. */
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

/** Returns `null` if somebody else runs the session, the run has ended, or it is not the run's turn. */
async function tryTurn(
  store: Store,
  run: Run,
  options: QueueOptions,
  isTurn: (before: readonly Run[]) => boolean = () => true,
): Promise<QueuePosition | null> {
  const free = await takeSlot(options);
  if (free === null) return null;
  const hold: HoldOptions = { owner: options.owner, leaseMs: options.leaseMs };
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
    // It is read while the lease is held, so that nobody else begins a run now.
    const line = await lineOf(store, run);
    if (line !== "ended" && isTurn(beforeIn(line, run.runId))) {
      return {
        lease,
        release,
        others: line.filter(({ runId, status }) => status === "running" && runId !== run.runId),
      };
    }
  } catch (error) {
    await release();
    throw error;
  }
  await release();
  return null;
}

/** Resolves when a run of the session ends, after `ms` milliseconds, or when the signal aborts. */
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

function slotsOf(store: Store): Slots {
  const slots = SLOTS.get(store) ?? { taken: 0, waiting: [] };
  SLOTS.set(store, slots);
  return slots;
}

/** Takes a slot of this process and returns the function that frees it; `null` when the signal aborted. */
async function takeSlot({
  caller,
  maxParallel,
  signal,
}: Pick<QueueOptions, "caller" | "maxParallel" | "signal">): Promise<(() => void) | null> {
  const slots = slotsOf(caller);
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
    // All waiting callers check again, because a caller that gave up must not use up the turn of another one.
    for (const look of slots.waiting.splice(0)) look();
  };
}
