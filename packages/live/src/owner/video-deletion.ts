/** A video owns its evidence: deleting the video deletes its sessions and leaves tombstones. */

import { listAll, type Session, type Store } from "@continuo/core/model";
import { LIVE_STATES } from "@continuo/core/wire";
import { findRemoval, forgetRemoval, isFields, LIMITS, sideLogsOf } from "../kit/index.ts";
import { isLiveSession } from "../sessions/index.ts";

/** Returns the number of deleted sessions. Errors: those of the store. */
export async function deleteVideo(
  store: Store,
  videoId: string,
  forget: (sessionId: string) => Promise<void>,
): Promise<number> {
  let deleted = 0;
  for await (const { sessionId, metadata } of liveSessions(store)) {
    if (!isFields(metadata.live) || metadata.live.videoId !== videoId) continue;
    await forget(sessionId);
    await deleteSessionLogs(store, sessionId, "the video was deleted");
    deleted++;
  }
  return deleted;
}

/**
 * Deletes the session and its side logs. It also forgets that a person removed the session, which therefore cannot be
 * restored any more. Errors: those of the store.
 */
export async function deleteSessionLogs(store: Store, sessionId: string, reason: string): Promise<void> {
  for (const id of [...sideLogsOf(sessionId), sessionId]) {
    if ((await store.getSession(id)) !== null) await store.deleteSession(id, { reason });
  }
  const removal = await findRemoval(store, sessionId);
  if (removal !== null) await forgetRemoval(store, removal);
}

export async function* liveSessions(store: Store): AsyncGenerator<Session, void, void> {
  const sessions = listAll((place) =>
    store.listSessions({ status: LIVE_STATES, limit: LIMITS.cleanUpBatch, ...place }),
  );
  for await (const session of sessions) if (isLiveSession(session)) yield session;
}
