/** One of Continuo's own sessions deleted for good: there is no trash for what lies in a store. */

import { ContinuoError } from "../../model/index.ts";
import type { OwnRow } from "./rows.ts";
import type { OpenOwn } from "./store.ts";

/** The session manager's name for the right to run a session. */
const RUN_LEASE = "session/";
const SHOWN_FORKS = 20;

/** Errors: `session_live` while it is run somewhere, `has_forks` where others go on from it, `not_found`. */
export async function deleteOwn({ sessionId, nativeRefs }: OwnRow, { store }: OpenOwn): Promise<void> {
  const lease = await store.getLease(`${RUN_LEASE}${sessionId}`);
  if (lease !== null && Date.parse(lease.expiresAt) > Date.now()) {
    throw new ContinuoError("session_live", `the session ${sessionId} is run by ${lease.owner} now`, {
      hint: "Leave it there, then delete it.",
      details: { owner: lease.owner, expiresAt: lease.expiresAt },
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
