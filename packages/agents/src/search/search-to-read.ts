/** A search whose sessions are read afterwards: those that the caller may see, without those in the trash. */

import { present } from "@continuo/core/model";
import { ORIGIN_LIMITS, type ReadSession } from "./origins/index.ts";
import type { SearchQuery } from "./query/index.ts";
import { type SessionSearchOptions, type SessionSearchResults, searchSessions } from "./session-search.ts";

export interface ToReadOptions
  extends Pick<
    SessionSearchOptions,
    "places" | "exclude" | "nowMs" | "signal" | "onUnindexed" | "limit" | "timeMs"
  > {
  /** Returns false for a session that the caller may not see; those in the trash are never read. */
  readonly isVisible?: (session: ReadSession) => boolean;
}

export interface SessionsToRead extends Pick<SessionSearchResults, "matched" | "total" | "unsearched"> {
  /** The best first. */
  readonly sessions: readonly ReadSession[];
  readonly unreadable: number;
}

/** Errors: as `searchSessions`. */
export async function searchToRead(query: SearchQuery, options: ToReadOptions): Promise<SessionsToRead> {
  const { isVisible = () => true, ...others } = options;
  const found = await searchSessions(query, { timeMs: ORIGIN_LIMITS.searchMs, ...present(others) });
  const sessions = found.results.map(({ session }) => session);
  return {
    matched: found.matched,
    total: found.total,
    unsearched: found.unsearched,
    unreadable: found.unreadable.length,
    sessions: sessions.filter((session) => session.trashId === null && isVisible(session)),
  };
}
