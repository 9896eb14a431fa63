/**
 * After a crash of a program that had many sessions: wakes each session that a dead process may have left, however many
 * there are.
 */

import {
  assertKnownOptions,
  isContinuoError,
  type KnownOptions,
  listAll,
  present,
  type RunStatus,
  type Store,
} from "@continuo/core/model";
import { type WakeOptions, type WakeResult, wake } from "./wake.ts";

export interface WakeAllOptions extends WakeOptions {
  /**
   * `running`: only sessions in which a run has begun and not ended; `all`: also those with a waiting or interrupted
   * run, whose input may still be unanswered. `all` by default.
   */
  readonly sessions?: "running" | "all";
  /** Called with the error of a session that cannot be woken; the others are woken nevertheless. Without it, the error is thrown. */
  readonly onError?: (error: unknown, sessionId: string) => void;
}

const LEFT: Readonly<Record<NonNullable<WakeAllOptions["sessions"]>, readonly RunStatus[]>> = {
  running: ["running"],
  all: ["pending", "running", "interrupted"],
};

const OPTIONS: KnownOptions<WakeAllOptions> = {
  leaseMs: true,
  pending: true,
  retry: true,
  signal: true,
  sessions: true,
  onError: true,
};

const PAGE_RUNS = 1_000;
/** The ids of the sessions of participants in channels begin with this. */
const PARTICIPANTS = "participant:";

/**
 * The result of `wake` for each session with runs that did not end well. A session that is deleted in the meantime is
 * left out. Runs of channels are left to their server: it knows whether the connection that answers still exists.
 */
export async function* wakeAll(store: Store, options: WakeAllOptions = {}): AsyncGenerator<WakeResult> {
  assertKnownOptions("wakeAll", options, OPTIONS);
  const { sessions = "all", onError, ...waking } = options;
  const status = LEFT[sessions];
  const seen = new Set<string>();
  const { signal } = options;
  const runs = listAll((place) =>
    store.listRuns({ status, limit: PAGE_RUNS, ...place, ...present({ signal }) }),
  );
  for await (const { sessionId } of runs) {
    if (seen.has(sessionId) || sessionId.startsWith(PARTICIPANTS)) continue;
    seen.add(sessionId);
    try {
      yield await wake(store, sessionId, waking);
    } catch (error) {
      if (isContinuoError(error, "not_found") || isContinuoError(error, "gone")) continue;
      if (onError === undefined || signal?.aborted === true) throw error;
      onError(error, sessionId);
    }
  }
}
