/**
 * While somebody looks at an own session, stores the turns that the agent's own program adds to the native session of
 * that session.
 */

import { isOwn, type ListedSession, type OpenOwn, openOwn } from "@continuo/agents/catalog";
import { takeNativeTurns } from "@continuo/agents/conversations";
import type { PlacesAt } from "@continuo/files";

/** The least time between two looks at the files. */
const LOOK_MS = 1_000;

export interface GrowingNatives extends AsyncDisposable {
  /** Never rejects: the next look tries again, and the next turn of the session reports the reason. */
  look(row: ListedSession, signal: AbortSignal): Promise<void>;
}

export function createGrowingNatives(places: PlacesAt): GrowingNatives {
  let own: Promise<OpenOwn | null> | null = null;
  let dueMs = 0;
  const close = async (): Promise<void> => {
    const opened = own;
    own = null;
    await (await opened?.catch(() => null))?.[Symbol.asyncDispose]();
  };
  return {
    async look(row, signal) {
      if (!isOwn(row) || performance.now() < dueMs) return;
      try {
        own ??= openOwn(places);
        const store = (await own)?.store;
        const { sessionId } = row;
        if (store !== undefined) await takeNativeTurns({ store, sessionId, places, signal });
      } catch {
        await close().catch(() => undefined);
      }
      dueMs = performance.now() + LOOK_MS;
    },
    [Symbol.asyncDispose]: close,
  };
}
