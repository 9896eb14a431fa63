/** One of Continuo's own sessions deleted for good: there is no trash for what lies in a store. */

import { ContinuoError } from "../../model/index.ts";
import type { OwnRow } from "./rows.ts";
import type { OpenOwn } from "./store.ts";

const SHOWN_FORKS = 20;

/** Errors: `session_live` while it is run somewhere, `has_forks` where others go on from it, `not_found`. */
export async function deleteOwn({ sessionId, nativeRefs }: OwnRow, { store }: OpenOwn): Promise<void> {
  const { runnerOf } = await import("../../sessions/index.ts");
  const runner = await runnerOf(store, sessionId);
  if (runner !== null) {
    throw new ContinuoError("session_live", `the session ${sessionId} is run by ${runner.owner} now`, {
      hint: "Leave it there, then delete it.",
      details: { owner: runner.owner, expiresAt: runner.expiresAt },
    });
  }
  const { items: forks } = await store.listSessions({ parentId: sessionId, limit: SHOWN_FORKS });
  if (forks.length > 0) {
    const ids = forks.map((fork) => fork.sessionId);
    throw new ContinuoError("has_forks", `other sessions go on from ${sessionId}: ${ids.join(", ")}`, {
      hint: "Delete them too, in the same call, or first.",
      details: { forks: ids },
    });
  }
  const natives = nativeRefs.map((ref) => `${ref.agent}:${ref.sessionId}`).join(", ");
  const reason = natives === "" ? "deleted" : `deleted; its native sessions stay: ${natives}`;
  await store.deleteSession(sessionId, { reason });
}
