/** Checks a session: compares the log of an own session with its hashes, and reads a native one for problems. */

import { isAgentName, isContinuoError, isFailure, type Problem } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { checkNativeSession } from "@continuo/native";
import { isOwn, type ListedSession, type OwnRow } from "./rows.ts";
import type { OpenOwn } from "./store.ts";

export interface CheckedSession extends Pick<OwnRow, "agent" | "sessionId" | "location"> {
  readonly problems: readonly Problem[];
}

/** Recomputes every hash. A log that cannot be read is reported as a problem. */
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
    if (!isFailure(error)) throw error;
    return [{ code: "unreadable", message: error.message, line: null }];
  }
}

interface CheckContext {
  readonly store: OpenOwn | null;
  readonly places: Places;
}

/** Checks a row of the list. A session that only its agent reports is checked only with its known facts. */
export async function checkRow(
  row: ListedSession,
  { store, places }: CheckContext,
): Promise<readonly Problem[]> {
  if (isOwn(row)) return store === null ? row.problems : (await checkOwn(row, store)).problems;
  if (!isAgentName(row.agent) || row.location === "") return row.problems;
  try {
    return (await checkNativeSession(row.location, { places })).problems;
  } catch (error) {
    // The session disappeared after it was listed.
    if (isContinuoError(error, "not_found")) return row.problems;
    throw error;
  }
}
