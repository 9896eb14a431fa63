/** The end of a session by its owner: the last notes, the open requests, a checkpoint, and the end itself. */

import { isContinuoError } from "@continuo/core/model";
import { LIMITS } from "../kit/index.ts";
import { acceptsInput, type Follower, stateOfFold } from "../state/index.ts";
import type { SessionOwner } from "./session-owner.ts";

interface EndSessionOptions {
  readonly follower: Follower;
  readonly on: "close" | "expiry";
  readonly report: (line: string) => void;
}

/** Returns `false` if another server ended the session at the same time. Errors: the store's. */
export async function endSession(
  owner: SessionOwner,
  { follower, on, report }: EndSessionOptions,
): Promise<boolean> {
  const { sessionId } = follower;
  if (on === "close" && acceptsInput(stateOfFold(follower))) await owner.flush(LIMITS.closeFlushMs);
  if (acceptsInput(stateOfFold(follower))) {
    await owner.finish(LIMITS.closeFlushMs).catch((error: unknown) => {
      report(`live: what is open in ${sessionId} is not written: ${String(error)}`);
    });
    await owner.closeRequests("all").catch((error: unknown) => {
      report(`live: drafts of ${sessionId} are not written: ${String(error)}`);
    });
    // The end does not need the checkpoint, because the log has everything.
    await owner.checkpoint().catch((error: unknown) => {
      report(`live: no final checkpoint of ${sessionId}: ${String(error)}`);
    });
  }
  const { name, token } = owner.lease;
  const also = [{ type: "close" }, { type: "lease_release", name, token }] as const;
  try {
    return await owner.change(on, { also });
  } catch (error) {
    if (isContinuoError(error, "log_closed")) return false;
    throw error;
  } finally {
    owner.end();
  }
}
