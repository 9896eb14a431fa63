/** A search in the index for turns with most of the words. */

import type { DatabaseSync } from "node:sqlite";
import { countTurns, passagesOf, scoreTurns, type TurnMatch, turnsByIds } from "@continuo/native/index-file";
import type { IndexedSession } from "../catalog/index.ts";
import { SEARCH_LIMITS } from "./limits.ts";
import {
  type BestMatch,
  CLOSE_TURNS,
  COLUMN_WEIGHTS,
  closeFactor,
  closenessOf,
  rankBestMatch,
  rarityOf,
  type SearchQuery,
  type TurnRank,
  toFormExpression,
} from "./query/index.ts";

export interface BestSearchOptions {
  readonly match: BestMatch;
  readonly nowMs: number;
  /** `null` for a turn of a session that does not count, or that a filter excludes. */
  sessionOf(turn: TurnMatch): IndexedSession | null;
}

/** Returns the turns of each session, the best one first, by the number that the session has in the index. */
export function searchBest(
  database: DatabaseSync,
  query: SearchQuery,
  { match, nowMs, sessionOf }: BestSearchOptions,
): ReadonlyMap<number, readonly TurnRank<TurnMatch>[]> {
  const { terms } = match;
  const all = countTurns(database);
  const scores = new Map<number, number[][]>();
  const rarity = terms.map((term, at) => {
    const turns = new Set<number>();
    for (const [form, { phrase }] of term.forms.entries()) {
      for (const [id, score] of scoreTurns(database, toFormExpression(query, phrase), COLUMN_WEIGHTS)) {
        turns.add(id);
        const rows = scores.get(id) ?? terms.map(() => []);
        scores.set(id, rows);
        const row = rows[at];
        if (row !== undefined) row[form] = score;
      }
    }
    return rarityOf(turns.size, all);
  });
  const ranking = { match, rarity, nowMs };
  const groups = new Map<
    number,
    { session: IndexedSession; turns: (TurnMatch & { scores: number[][] })[] }
  >();
  for (const turn of turnsByIds(database, bestIds(scores))) {
    const session = sessionOf(turn);
    if (session === null) continue;
    const group = groups.get(turn.session) ?? { session, turns: [] };
    groups.set(turn.session, group);
    group.turns.push(Object.assign(turn, { scores: scores.get(turn.id) ?? [] }));
  }
  const sessions = [...groups]
    .map(([id, { session, turns }]) => ({ id, turns: rankBestMatch(turns, session, ranking) }))
    .filter(({ turns }) => turns.length > 0)
    .sort((a, b) => (b.turns[0]?.score ?? 0) - (a.turns[0]?.score ?? 0));
  return new Map(
    sessions.map(({ id, turns }, at): [number, readonly TurnRank<TurnMatch>[]] => {
      const looked = at < SEARCH_LIMITS.closeSessions ? CLOSE_TURNS : 0;
      const closer = turns.slice(0, looked).map((one) => {
        const closeness = closenessOf(passagesOf(database, one.turn), ranking);
        return { ...one, score: one.score * closeFactor(closeness) };
      });
      return [id, [...closer, ...turns.slice(looked)]];
    }),
  );
}

/** Returns at most as many turns as the limit allows, those with the greatest sums. */
function bestIds(scores: ReadonlyMap<number, readonly (readonly number[])[]>): readonly number[] {
  if (scores.size <= SEARCH_LIMITS.rankedTurns) return [...scores.keys()];
  const sums = [...scores].map(([id, rows]) => {
    return {
      id,
      sum: rows.reduce((all, row) => all + row.reduce((most, one) => Math.max(most, one ?? 0), 0), 0),
    };
  });
  sums.sort((a, b) => b.sum - a.sum || a.id - b.id);
  return sums.slice(0, SEARCH_LIMITS.rankedTurns).map(({ id }) => id);
}
