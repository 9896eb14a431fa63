/**
 * After a crash of a program that had many sessions: wakes each session that a dead process may have left, however many
 * there are.
 */

import {
  assertKnownOptions,
  type CallOptions,
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
  /**
   * Called with the error of a session that cannot be woken; the others are woken nevertheless. If it is left out, the
   * error is thrown.
   */
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
    if (seen.has(sessionId)) continue;
    seen.add(sessionId);
    try {
      if (await isParticipant(store, sessionId, present({ signal }))) continue;
      yield await wake(store, sessionId, waking);
    } catch (error) {
      if (isContinuoError(error, "not_found") || isContinuoError(error, "gone")) continue;
      if (onError === undefined || signal?.aborted === true) throw error;
      onError(error, sessionId);
    }
  }
}

/**
 * True for the session of a participant in a channel. Its metadata must name the participant, because a program can
 * give a session of its own such an id.
 */
async function isParticipant(store: Store, sessionId: string, call: CallOptions): Promise<boolean> {
  if (!sessionId.startsWith("participant:")) return false;
  const { channel, handle } = (await store.getSession(sessionId, call))?.metadata ?? {};
  return sessionId === `participant:${String(channel)}:${String(handle)}`;
}
