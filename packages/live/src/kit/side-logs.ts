/**
 * Secondary sessions of a session. Four hold runs that must not block other runs, because a session executes one run at
 * a time. Two hold events that are recorded after the session ended. Evidence and decisions are in the session itself.
 */

import { isContinuoError, type Store } from "@continuo/core/model";

const BESIDE = ["supplementary", "questions", "replay", "pictures", "page", "repairs"] as const;

export type SideLog = (typeof BESIDE)[number];

/** Returns the secondary session; creates it on first use. Errors: those of the store. */
export async function openSideLog(store: Store, sessionId: string, beside: SideLog): Promise<string> {
  const besideId = besideOf(sessionId, beside);
  if ((await store.getSession(besideId)) !== null) return besideId;
  try {
    await store.createSession({
      sessionId: besideId,
      parentId: sessionId,
      title: `${beside} of ${sessionId}`,
    });
  } catch (error) {
    // Another server created it first.
    if (!isContinuoError(error, "conflict")) throw error;
  }
  return besideId;
}

/** The secondary session; `null` if nothing was written to it. Errors: those of the store. */
export async function findSideLog(store: Store, sessionId: string, beside: SideLog): Promise<string | null> {
  const besideId = besideOf(sessionId, beside);
  return (await store.getSession(besideId)) === null ? null : besideId;
}

/** The ids of a session's secondary sessions, whether they exist or not. */
export function sideLogsOf(sessionId: string): readonly string[] {
  return BESIDE.map((beside) => besideOf(sessionId, beside));
}

function besideOf(sessionId: string, beside: SideLog): string {
  return `${sessionId}.${beside}`;
}
