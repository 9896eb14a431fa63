/** The results of a search: a sorted list of sessions, each with the turn that matches best. Pure. */

import type { IndexedSession } from "../../catalog/index.ts";
import type { Excerpt } from "./excerpt.ts";

export interface TurnHit {
  /** 1-based, within its session. */
  readonly number: number;
  readonly messageId: string;
  readonly at: string | null;
  /** The first match of a regular expression in this turn. */
  readonly excerpt?: Excerpt;
}

export interface SearchResult {
  readonly session: IndexedSession;
  /** The turn that matches best. */
  readonly turn: TurnHit;
  readonly excerpt: Excerpt | null;
  /** Every turn of the session that matches, in order. */
  readonly turns: readonly TurnHit[];
  readonly score: number;
}

export interface SearchResults {
  readonly results: readonly SearchResult[];
  /** The number of all sessions that match, including those that `limit` leaves out. */
  readonly total: number;
}

/**
 * Results with equal scores are sorted by time, then by path, so that the order never depends on the order of files.
 */
function byScore(
  a: Pick<SearchResult, "session" | "score">,
  b: Pick<SearchResult, "session" | "score">,
): number {
  if (a.score !== b.score) return b.score - a.score;
  const [x, y] = [a.session.updatedAt ?? "", b.session.updatedAt ?? ""];
  return x < y ? 1 : x > y ? -1 : a.session.location < b.session.location ? -1 : 1;
}

/** The best results in the order of `byScore`; all by default. Only results with a sufficient score are sorted. */
export function bestFirst<T extends Pick<SearchResult, "session" | "score">>(
  results: readonly T[],
  limit: number = results.length,
): readonly T[] {
  return mayBeBest(results, limit).toSorted(byScore).slice(0, limit);
}

/** The results without those whose score is too low to be among the best; those with equal scores are in it. */
export function mayBeBest<T extends Pick<SearchResult, "score">>(
  results: readonly T[],
  limit: number = results.length,
): readonly T[] {
  const scores = Float64Array.from(results, ({ score }) => score).sort();
  const least = scores.at(-limit) ?? Number.NEGATIVE_INFINITY;
  return results.filter(({ score }) => score >= least);
}

/**
 * An own session that continues in a native one is the same conversation: if both match, the own one is returned. One in
 * the trash does not replace a native session that is outside of it.
 */
export function eachConversationOnce<T extends { readonly session: IndexedSession }>(
  results: readonly T[],
): readonly T[] {
  const continued = (isOwnTrashed: boolean): ReadonlySet<string> =>
    new Set(
      results
        .filter(({ session }) => isOwnTrashed || session.trashId === null)
        .flatMap(({ session }) => session.nativeRefs)
        .map(({ agent, sessionId }) => `${agent}:${sessionId}`),
    );
  const inTrash = continued(true);
  if (inTrash.size === 0) return results;
  const outside = continued(false);
  return results.filter(({ session: { agent, sessionId, trashId } }) => {
    const same = trashId === null ? outside : inTrash;
    return !same.has(`${agent}:${sessionId}`);
  });
}
