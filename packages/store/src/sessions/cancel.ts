/** Cancels a run from any process. */

import {
  assertKnownOptions,
  ContinuoError,
  cancellable,
  isContinuoError,
  present,
  type Run,
  type Store,
} from "@continuo/core/model";
import { runEnd } from "./ends.ts";
import { newId } from "./ids.ts";
import { unsaidInput } from "./input-message.ts";
import { cancelLeft } from "./interrupt.ts";
import { holdLease, sessionLease } from "./lease.ts";
import { LIMITS } from "./limits.ts";
import { patientStore } from "./patient-store.ts";
import type { RunError } from "./result.ts";

export interface CancelOptions {
  readonly reason?: string;
  readonly signal?: AbortSignal;
}

/**
 * A run that waits is cancelled at once. For a running run, the request is written into the session's log. Its owner
 * reads the request and ends the run, so the returned run is still running. A run whose owner is gone is cancelled at
 * once too. Errors: `not_found`, `invalid_transition` when the run has ended.
 */
export async function cancelRun(given: Store, runId: string, options: CancelOptions = {}): Promise<Run> {
  assertKnownOptions("cancelRun", options, { reason: true, signal: true });
  const { reason, signal } = options;
  return await cancellable(signal, () => cancel(given, runId, present({ reason, signal })));
}

async function cancel(given: Store, runId: string, { reason, signal }: CancelOptions): Promise<Run> {
  const store = patientStore(given, { storeMs: LIMITS.storeMs, ...present({ signal }) });
  for (;;) {
    signal?.throwIfAborted();
    const run = await store.getRun(runId, present({ signal }));
    if (run === null) {
      throw new ContinuoError("not_found", `there is no run ${runId}`, { details: { runId } });
    }
    if (run.status === "pending") {
      const cancelled = await cancelPending(store, runId, reason);
      if (cancelled !== null) return cancelled;
      continue;
    }
    if (run.status === "running") return cancelRunning(store, run, reason);
    throw new ContinuoError("invalid_transition", `the run ${runId} has already ended (${run.status})`, {
      details: { runId, from: run.status, to: "cancelled" },
    });
  }
}

/** Returns `null` if the run no longer waits. */
export async function cancelPending(
  store: Store,
  runId: string,
  reason: string | undefined,
): Promise<Run | null> {
  return await endWaiting(store, runId, { status: "cancelled", reason });
}

export interface WaitingEnd {
  readonly status: "cancelled" | "interrupted";
  readonly reason: string | undefined;
  readonly error?: RunError;
}

/** Ends a run that waits, without the lease of its session. Returns `null` if the run no longer waits. */
export async function endWaiting(
  store: Store,
  runId: string,
  { status, reason, error }: WaitingEnd,
): Promise<Run | null> {
  const { entry, write } = runEnd(runId, status, present({ reason, error }));
  const before = await store.getRun(runId);
  if (before === null) return null;
  // The events have ids, so that an append without an answer may be repeated.
  const end = { id: newId(), type: entry.type, data: entry.data, runId };
  const events = [...(await unsaidInput(store, before)), end];
  for (;;) {
    // The run may begin between the two reads: then its event is in the log, and the sequence has changed.
    const expectedSequence = await store.latestSequence(before.sessionId);
    const run = await store.getRun(runId);
    if (run?.status !== "pending") return null;
    try {
      await store.append(run.sessionId, events, {
        expectedSequence,
        also: [write],
      });
      return await store.getRun(runId);
    } catch (error) {
      if (!isContinuoError(error, "conflict")) throw error;
    }
  }
}

async function cancelRunning(store: Store, run: Run, reason: string | undefined): Promise<Run> {
  const { runId, sessionId } = run;
  const data = present({ runId, reason });
  const lease = await holdLease(store, sessionLease(sessionId), {
    owner: newId(),
    leaseMs: LIMITS.leaseMs,
  });
  if (lease === null) {
    await store.append(sessionId, [{ id: newId(), type: "run_cancel_requested", data, runId }]);
    return run;
  }
  try {
    const now = await store.getRun(runId);
    // The run ended in the meantime, which is what the caller wanted.
    if (now?.status !== "running") return now ?? run;
    await cancelLeft(store, now, { lease, reason });
    return (await store.getRun(runId)) ?? now;
  } finally {
    await lease.release();
  }
}
