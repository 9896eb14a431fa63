/** Usage of all sessions: hours, models, turns and tokens of each, kept in the rows of the index. */

import { setImmediate as otherWork } from "node:timers/promises";
import { isFailure } from "@continuo/core/model";
import { type Places, type PlacesAt, placesOf } from "@continuo/files";
import { findNativeSessions, openNativeSession } from "@continuo/native";
import { settleBeforeReading } from "@continuo/native/editing";
import { indexPathOf, openRows } from "@continuo/native/index-file";
import type { FoundSession, SavedSkimMemo } from "@continuo/native/kit";
import { readTranscript, toCatalogSession } from "./open-session.ts";
import { OWN } from "./rows.ts";
import { listOwn, openOwn } from "./store.ts";
import { type UsageBucket, usageOf } from "./usage.ts";

export interface SessionUsage {
  readonly agent: string;
  /** The id of the session; for a sub-agent, the id of the session that started it. */
  readonly sessionId: string;
  readonly cwd: string | null;
  /** True for a sub-agent: its tokens count, but it does not count as a session. */
  readonly isSubagent: boolean;
  readonly buckets: readonly UsageBucket[];
}

export interface UsageReport {
  readonly sessions: readonly SessionUsage[];
  /** The number of sessions that cannot be read. A store that cannot be read counts as one. */
  readonly unreadable: number;
}

export interface UsageOptions {
  readonly places: PlacesAt;
  readonly onProgress?: (sessions: number) => void;
  /** Only sessions with a file that changed at or after this time, and Continuo's own; milliseconds since 1970. */
  readonly changedSinceMs?: number;
}

/**
 * Counts every session once: native ones with their sub-agents, archived ones too, and own sessions without a native
 * session. Sessions in the trash do not count.
 */
export async function usageOfAll({
  places,
  onProgress,
  changedSinceMs = 0,
}: UsageOptions): Promise<UsageReport> {
  const at = placesOf(places);
  await settleBeforeReading({ places: at });
  const memo = openRows(indexPathOf(at), Date.now(), "usage");
  const sessions: SessionUsage[] = [];
  let unreadable = 0;
  for await (const found of findNativeSessions({ places: at, memo, subagents: "include" })) {
    if (found.files.length > 0 && found.files.every(({ mtimeMs }) => mtimeMs < changedSinceMs)) continue;
    // A server that counts thousands of sessions must answer requests in between.
    await otherWork();
    try {
      sessions.push(await usageOfNative(found, at, memo));
      onProgress?.(sessions.length);
    } catch (error) {
      if (!isFailure(error)) throw error;
      unreadable += 1;
    }
  }
  await memo.save(changedSinceMs > 0 ? "part" : "everything");
  try {
    return { sessions: [...sessions, ...(await usageOfOwn(places))], unreadable };
  } catch (error) {
    // If the store cannot be opened, as on a read-only disk, native sessions count nevertheless.
    if (!isFailure(error)) throw error;
    return { sessions, unreadable: unreadable + 1 };
  }
}

type SavedUsage = Pick<SessionUsage, "cwd" | "buckets">;

async function usageOfNative(
  found: FoundSession,
  places: Places,
  memo: SavedSkimMemo,
): Promise<SessionUsage> {
  const read = async (): Promise<SavedUsage> => {
    using session = await openNativeSession(found, { places });
    return { cwd: session.details.cwd, buckets: await usageOf(session) };
  };
  const kept =
    found.files.length === 0 ? await read() : await memo.remember(found.files, usageKey(found), read);
  const { agent, parentId, sessionId } = found;
  return { agent, sessionId: parentId ?? sessionId, isSubagent: parentId !== undefined, ...kept };
}

/** The name of the usage in the index. It contains the session's id, because a database file has several sessions. */
export function usageKey({ sessionId }: Pick<FoundSession, "sessionId">): { readonly what: string } {
  return { what: `usage ${sessionId}` };
}

async function usageOfOwn(places: PlacesAt): Promise<SessionUsage[]> {
  await using own = await openOwn(places);
  if (own === null) return [];
  const sessions: SessionUsage[] = [];
  for (const row of await listOwn(own)) {
    if (row.nativeRefs.length > 0) continue;
    const session = toCatalogSession(row, await readTranscript(own, row.sessionId), null);
    const { sessionId, cwd } = row;
    sessions.push({ agent: OWN, sessionId, cwd, isSubagent: false, buckets: await usageOf(session) });
  }
  return sessions;
}
