/**
 * Finds input that was cut off, so that a person can send it again. The person knows the text of the input, but seldom
 * its run. The input is found even while another process runs the session.
 */

import {
  assertKnownOptions,
  type Block,
  type KnownOptions,
  listAll,
  present,
  type Run,
  type Store,
} from "@continuo/core/model";
import { endWaiting } from "./cancel.ts";
import { newId } from "./ids.ts";
import { isInput, isSameInput, type RunInput, toBlocks } from "./input.ts";
import { NOBODY_WAITS } from "./interrupt.ts";
import { holdLease, runLease, runnerOf } from "./lease.ts";
import { LIMITS } from "./limits.ts";
import { isClaimed, isLeftBehind } from "./live-runs.ts";
import { patientStore } from "./patient-store.ts";
import { pause } from "./stops.ts";
import { type OfferedInput, offeredInputs, wake } from "./wake.ts";

export interface CutOffOptions {
  /** The earliest time of a run that counts, in milliseconds since 1970. */
  readonly sinceMs?: number;
  readonly leaseMs?: number;
  readonly signal?: AbortSignal;
}

const OPTIONS: KnownOptions<CutOffOptions> = { sinceMs: true, leaseMs: true, signal: true };

/**
 * The newest input with these words that no agent answered because its process ended; `null` if there is none. Runs of
 * processes that are gone are ended first. `startRun(store, sessionId, input, { retryOf: runId })` gives it again.
 * Errors: `not_found`, `usage`.
 */
export async function findCutOff(
  given: Store,
  sessionId: string,
  input: RunInput,
  options: CutOffOptions = {},
): Promise<OfferedInput | null> {
  assertKnownOptions("findCutOff", options, OPTIONS);
  const { sinceMs = 0, leaseMs = LIMITS.leaseMs, signal } = options;
  const call = present({ signal });
  const store = patientStore(given, { storeMs: LIMITS.storeMs, ...call });
  const blocks = toBlocks(input);
  const search: Search = { store, sessionId, blocks, leaseMs, signal };
  for (const until = performance.now() + leaseMs; ; ) {
    const { heldBy } = await wake(store, sessionId, { leaseMs, ...call });
    // If another process has the session, it ends the runs of earlier processes itself, and this loop waits for it.
    const isSettled = heldBy === null || (await isSettledBeside(search));
    if (isSettled || performance.now() > until) break;
    await pause(LIMITS.shortPollMs, signal);
    signal?.throwIfAborted();
  }
  for (const offered of (await offeredInputs(store, sessionId)).toReversed()) {
    if (!isSameInput(offered.input, blocks)) continue;
    const run = await store.getRun(offered.runId, call);
    if (run !== null && Date.parse(run.createdAt) >= sinceMs) return offered;
  }
  return null;
}

interface Search {
  readonly store: Store;
  readonly sessionId: string;
  readonly blocks: readonly Block[];
  readonly leaseMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * While another process runs the session, ends waiting runs for which no caller waits. `false` if that process must
 * still end a run.
 */
async function isSettledBeside({ store, sessionId, blocks, leaseMs, signal }: Search): Promise<boolean> {
  const holder = await runnerOf(store, sessionId, present({ signal }));
  const runs = listAll((place) =>
    store.listRuns({ sessionId, status: ["pending", "running"], limit: LIMITS.offeredInputs, ...place }),
  );
  for await (const run of runs) {
    if (!isInput(run.input) || !isSameInput(toBlocks(run.input), blocks)) continue;
    if (run.status === "pending") await endLeftBehind(store, run, leaseMs);
    // The process of this run no longer has the lease, so the process that has it must still end the run.
    else if (!isClaimed(run) && run.owner !== holder?.owner) return false;
  }
  return true;
}

async function endLeftBehind(store: Store, run: Run, leaseMs: number): Promise<void> {
  // While this call has the lease of the waiting run, no caller begins to wait for the run.
  const place = await holdLease(store, runLease(run.runId), { owner: newId(), leaseMs });
  if (place === null) return;
  try {
    const isLeft = await isLeftBehind(store, run, { now: place.givenAt, leaseMs });
    const error = { code: "interrupted", message: NOBODY_WAITS };
    if (isLeft) await endWaiting(store, run.runId, { status: "interrupted", reason: NOBODY_WAITS, error });
  } finally {
    await place.release();
  }
}
