/** Whether the log of one of Continuo's own sessions is what was stored. */

import { isContinuoError, type Problem } from "../model/index.ts";
import type { OwnRow } from "./rows.ts";
import type { OpenOwn } from "./store.ts";

export interface CheckedSession extends Pick<OwnRow, "agent" | "sessionId" | "location"> {
  readonly problems: readonly Problem[];
}

/** Recomputes every hash. A log that cannot be read has that as its problem. */
export async function checkOwn(
  { agent, sessionId, location }: OwnRow,
  { store }: OpenOwn,
): Promise<CheckedSession> {
  return { agent, sessionId, location, problems: await problemsOf(sessionId, store) };
}

async function problemsOf(sessionId: string, store: OpenOwn["store"]): Promise<readonly Problem[]> {
  try {
    const { ok, firstBadSequence, reason } = await store.verify(sessionId);
    if (ok) return [];
    const message = `event ${firstBadSequence}: ${reason ?? "it differs"}`;
    return [{ code: "changed_event", message, line: null }];
  } catch (error) {
    if (!isContinuoError(error)) throw error;
    return [{ code: "unreadable", message: error.message, line: null }];
  }
}
