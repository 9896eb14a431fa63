/**
 * Sessions beside a session: three hold runs that others must not wait for, since runs of one session take turns, and one
 * holds what is recorded after the session ended. Evidence and decisions are in the session itself.
 */

import { isContinuoError, type Store } from "../model/index.ts";

const BESIDE = ["supplementary", "questions", "replay", "pictures"] as const;

export type Beside = (typeof BESIDE)[number];

/** Makes it when it is first used. Errors: the store's. */
export async function openBeside(store: Store, sessionId: string, beside: Beside): Promise<string> {
  const besideId = besideOf(sessionId, beside);
  if ((await store.getSession(besideId)) !== null) return besideId;
  try {
    await store.createSession({
      sessionId: besideId,
      parentId: sessionId,
      title: `${beside} of ${sessionId}`,
    });
  } catch (error) {
    // Made by another server before.
    if (!isContinuoError(error, "conflict")) throw error;
  }
  return besideId;
}

/** Of the session, whether they exist or not. */
export function besidesOf(sessionId: string): readonly string[] {
  return BESIDE.map((beside) => besideOf(sessionId, beside));
}

function besideOf(sessionId: string, beside: Beside): string {
  return `${sessionId}.${beside}`;
}
