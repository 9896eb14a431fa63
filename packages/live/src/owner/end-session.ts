/** The end of a session by its owner: the last notes, the open requests, the page, a checkpoint, and the end itself. */

import { isContinuoError, type Write } from "@continuo/core/model";
import { LIMITS } from "../kit/index.ts";
import { acceptsInput, depthOf, type Follower, stateOfFold } from "../state/index.ts";
import { lateClaim } from "./late-notes.ts";
import type { SessionOwner } from "./session-owner.ts";

interface EndSessionOptions {
  readonly follower: Follower;
  readonly on: "close" | "expiry";
  readonly nowMs: number;
  readonly report: (line: string) => void;
}

/**
 * A session that nobody uses any more is closed as well, if its notes could be finished; else it is abandoned. Returns
 * `false` if another server ended the session at the same time. Errors: the store's.
 */
export async function endSession(
  owner: SessionOwner,
  { follower, on, nowMs, report }: EndSessionOptions,
): Promise<boolean> {
  const isFinished =
    acceptsInput(stateOfFold(follower)) && (await finishNotes(owner, { follower, on, nowMs, report }));
  const { name, token } = owner.lease;
  // A log with batches that the note writer is still owed stays open for its late notes, and takes no input.
  const end: Write = owner.owes ? lateClaim(follower.sessionId, nowMs) : { type: "close" };
  const also: readonly Write[] = [end, { type: "lease_release", name, token }];
  try {
    return await owner.change(isFinished ? "close" : on, { also });
  } catch (error) {
    if (isContinuoError(error, "log_closed")) return false;
    throw error;
  } finally {
    owner.end();
  }
}

/** Ends a session that a person removed: nothing of it is read or sent to a model any more. `false` if it ended already. Errors: the store's. */
export async function endRemoved(owner: SessionOwner): Promise<boolean> {
  const { name, token } = owner.lease;
  const also = [{ type: "close" }, { type: "lease_release", name, token }] as const;
  try {
    return await owner.change("close", { reason: "a person removed the session", also });
  } catch (error) {
    if (isContinuoError(error, "log_closed")) return false;
    throw error;
  } finally {
    owner.end();
  }
}

/** Writes the last notes, the page and a checkpoint, within the documented time. Returns `false` if something is not written. */
async function finishNotes(
  owner: SessionOwner,
  { follower, on, report }: EndSessionOptions,
): Promise<boolean> {
  const { sessionId } = follower;
  const untilMs = performance.now() + LIMITS.closeFlushMs;
  let isFinished = true;
  await owner.flush(LIMITS.closeFlushMs);
  if (depthOf(follower.fold) > 0) isFinished = false;
  await owner.finish(Math.max(1, Math.ceil(untilMs - performance.now()))).catch((error: unknown) => {
    isFinished = false;
    report(`live: what is open in ${sessionId} is not written: ${String(error)}`);
  });
  await owner.closeRequests("all").catch((error: unknown) => {
    isFinished = false;
    report(`live: drafts of ${sessionId} are not written: ${String(error)}`);
  });
  // Nobody waits for a session that ends because nobody uses it.
  await owner.writePage(
    on === "expiry" ? LIMITS.writerMs : untilMs - performance.now() - LIMITS.closeReserveMs,
  );
  // The end does not need the checkpoint, because the log has everything.
  await owner.checkpoint().catch((error: unknown) => {
    report(`live: no final checkpoint of ${sessionId}: ${String(error)}`);
  });
  return isFinished;
}
