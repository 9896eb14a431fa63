/** The end of a session by its owner: the last notes, the open requests, the page, a checkpoint, and the end itself. */

import { isContinuoError, present, type Write } from "@continuo/core/model";
import { isRemoved, LIMITS, type SessionOwnerSettings } from "../kit/index.ts";
import { acceptsInput, depthOf, type Follower, stateOfFold } from "../state/index.ts";
import { lateClaim } from "./late-notes.ts";
import type { SessionOwner } from "./session-owner.ts";

interface EndSessionOptions extends Pick<SessionOwnerSettings, "store" | "clock" | "report"> {
  readonly follower: Follower;
  readonly on: "close" | "expiry" | "removal";
}

/**
 * A session that expires, because nobody uses it any more, is closed as well if its notes could be finished; otherwise
 * it is abandoned. Returns `false` if another server ended the session at the same time. Errors: those of the store.
 */
export async function endSession(owner: SessionOwner, options: EndSessionOptions): Promise<boolean> {
  const { store, clock, follower, on } = options;
  const { sessionId } = follower;
  // The process that removed the session may have died before it ended the session.
  if (on === "removal" || (await isRemoved(store, sessionId))) return endRemoved(owner);
  const isFinished = acceptsInput(stateOfFold(follower)) && (await finishNotes(owner, options));
  // A log with batches that the note writer must still receive stays open for late notes, and accepts no input.
  const end: Write = owner.owes ? lateClaim(sessionId, clock.now()) : { type: "close" };
  return writeEnd(owner, isFinished ? "close" : on, { end });
}

/**
 * Ends a removed session: nothing of it is read or sent to a model. Returns `false` if it ended already. Errors: those
 * of the store.
 */
function endRemoved(owner: SessionOwner): Promise<boolean> {
  return writeEnd(owner, "close", { end: { type: "close" }, reason: "a person removed the session" });
}

async function writeEnd(
  owner: SessionOwner,
  on: "close" | "expiry",
  { end, reason }: { readonly end: Write; readonly reason?: string },
): Promise<boolean> {
  const { name, token } = owner.lease;
  const also: readonly Write[] = [end, { type: "lease_release", name, token }];
  try {
    return await owner.change(on, present({ reason, also }));
  } catch (error) {
    if (isContinuoError(error, "log_closed")) return false;
    throw error;
  } finally {
    owner.end();
  }
}

/**
 * Writes the last notes, the page and a checkpoint, within 10 s (`closeFlushMs`). Returns `false` if evidence, notes or
 * drafts are not written; the page and the checkpoint do not count.
 */
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
    report(`live: cannot write what the note writer left open in ${sessionId}: ${String(error)}`);
  });
  await owner.closeRequests("all").catch((error: unknown) => {
    isFinished = false;
    report(`live: drafts of ${sessionId} are not written: ${String(error)}`);
  });
  // A session that expires has no user who waits for its end, so the page may take longer.
  await owner.writePage(
    on === "expiry" ? LIMITS.writerMs : untilMs - performance.now() - LIMITS.closeReserveMs,
  );
  // The end does not need the checkpoint, because the log has everything.
  await owner.checkpoint().catch((error: unknown) => {
    report(`live: no final checkpoint of ${sessionId}: ${String(error)}`);
  });
  return isFinished;
}
