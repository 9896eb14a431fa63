/**
 * Sessions that editors began and never used: an editor begins one at each start, and may come back to it for a while.
 */

import { openOwn } from "@continuo/agents/catalog";
import { listAll, type Session, type Store } from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";
import { GATEWAY_LIMITS } from "./limits.ts";

/** The mark in the metadata of a session that an editor began. */
export const UNUSED_MARK = { editor: true } as const;

/** Removes such sessions if they are empty and older than the limit. Errors: those of the store. */
export async function removeUnused(places: PlacesAt, nowMs: number = Date.now()): Promise<void> {
  await using own = await openOwn(places);
  if (own === null) return;
  const before = new Date(nowMs - GATEWAY_LIMITS.unusedMs).toISOString();
  for (const session of await oldSessions(own.store, before)) {
    const { sessionId, metadata } = session;
    if (metadata.editor !== true) continue;
    const { events } = await own.store.read(sessionId, { types: ["message_sent"], limit: 1 });
    if (events.length > 0) continue;
    await own.store.deleteSession(sessionId, { reason: "an editor began it, and nothing was said in it" });
  }
}

async function oldSessions(store: Store, before: string): Promise<readonly Session[]> {
  const limit = GATEWAY_LIMITS.pageSessions;
  const all = await Array.fromAsync(listAll((place) => store.listSessions({ limit, ...place })));
  return all.filter(({ createdAt }) => createdAt < before);
}
