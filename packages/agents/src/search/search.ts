/** A search in the index: turns that match, ranked, grouped by session, with an excerpt of the best turn of each. */

import type { DatabaseSync } from "node:sqlite";
import { present } from "@continuo/core/model";
import {
  matchTurns,
  type Passage,
  passagesOf,
  stampsOfSessions,
  type TurnMatch,
} from "@continuo/native/index-file";
import type { IndexedSession } from "../catalog/index.ts";
import { searchBest } from "./best-search.ts";
import {
  type BestMatch,
  byScore,
  COLUMN_WEIGHTS,
  type Excerpt,
  eachConversationOnce,
  excerptOf,
  firstMatch,
  isOfSession,
  isOfTurn,
  masked,
  rankOf,
  type SearchQuery,
  type SearchResult,
  type SearchResults,
  shownPhrases,
  type TurnHit,
  toExpression,
  voicesOf,
} from "./query/index.ts";

/** A session as it was when the index was brought up to date. */
export type SearchableSession = IndexedSession & { readonly stamp: string };

export interface SearchOptions {
  /** Sessions that may be answered from, by their number in the index. */
  readonly sessions: ReadonlyMap<number, SearchableSession>;
  /** The time now, in milliseconds since 1970: what is newer ranks higher. */
  readonly nowMs: number;
  /** Number of the best sessions to return; all without it. */
  readonly limit?: number;
  /** Only turns with a text that this matches. */
  readonly regex?: RegExp;
  /** Returns the part of a text that may be shown; excerpts are cut from it. */
  readonly mask?: (text: string) => string;
  /** Given if most of the words are enough. */
  readonly best?: BestMatch;
  /** Results of sessions that the index does not answer for. */
  readonly others?: readonly SearchResult[];
}

export interface IndexResults extends SearchResults {
  /** Numbers of sessions that another process has begun to change since; they are left out. */
  readonly changed: readonly number[];
}

interface Match {
  readonly turn: TurnMatch;
  readonly score: number;
  readonly excerpt?: Excerpt;
}

/** A session that matches; what is shown of it is read only for the best ones. */
interface Candidate extends Pick<SearchResult, "session" | "score"> {
  toResult(): SearchResult;
}

/** Within an open index, on one state of it. */
export function search(database: DatabaseSync, query: SearchQuery, options: SearchOptions): IndexResults {
  database.exec("begin");
  try {
    return searchNow(database, query, options);
  } finally {
    database.exec("rollback");
  }
}

function searchNow(database: DatabaseSync, query: SearchQuery, options: SearchOptions): IndexResults {
  const unchanged = new Set<number>();
  for (const [id, stamp] of stampsOfSessions(database)) {
    if (options.sessions.get(id)?.stamp === stamp) unchanged.add(id);
  }
  const groups =
    options.best === undefined
      ? matchedBy(database, query, { ...options, unchanged })
      : rankedBy(database, query, { ...options, unchanged, match: options.best });
  const matched = [...groups].flatMap(([id, matches]): Candidate[] => {
    const session = options.sessions.get(id);
    if (session === undefined) return [];
    matches.sort((a, b) => b.score - a.score || a.turn.number - b.turn.number);
    const score = matches[0]?.score ?? 0;
    return [{ session, score, toResult: () => toResult(session, matches, { database, query, ...options }) }];
  });
  const changed = [...options.sessions.keys()].filter((id) => !unchanged.has(id));
  return { ...best([...matched, ...(options.others ?? []).map(toCandidate)], options.limit), changed };
}

interface Matching extends SearchOptions {
  readonly unchanged: ReadonlySet<number>;
}

type SessionOfTurn = (turn: TurnMatch) => SearchableSession | null;

/** Returns the session of a turn; `null` where the turn does not count. A session is asked about once, not for each turn. */
function createSessionOf(query: SearchQuery, { unchanged, sessions }: Matching): SessionOfTurn {
  const known = new Map<number, SearchableSession | null>();
  const sessionOf = (id: number): SearchableSession | null => {
    const session = unchanged.has(id) ? sessions.get(id) : undefined;
    return session !== undefined && isOfSession(session, query) ? session : null;
  };
  return (turn) => {
    let session = known.get(turn.session);
    if (session === undefined) {
      session = sessionOf(turn.session);
      known.set(turn.session, session);
    }
    return session !== null && isOfTurn(turn, session, query) ? session : null;
  };
}

function matchedBy(database: DatabaseSync, query: SearchQuery, options: Matching): Map<number, Match[]> {
  const { regex, mask, nowMs } = options;
  const match = toExpression(query) ?? undefined;
  const groups = new Map<number, Match[]>();
  const sessionOf = createSessionOf(query, options);
  for (const turn of matchTurns(database, present({ match, weights: COLUMN_WEIGHTS }))) {
    const session = sessionOf(turn);
    if (session === null) continue;
    const excerpt =
      regex === undefined
        ? undefined
        : firstMatch(passagesOf(database, turn), { regex, mask, voices: voicesOf(query) });
    if (excerpt === null) continue;
    const score = rankOf(turn, session, nowMs);
    const one = excerpt === undefined ? { turn, score } : { turn, score, excerpt };
    const group = groups.get(turn.session);
    if (group) group.push(one);
    else groups.set(turn.session, [one]);
  }
  return groups;
}

function rankedBy(
  database: DatabaseSync,
  query: SearchQuery,
  options: Matching & { readonly match: BestMatch },
): Map<number, Match[]> {
  const { match, nowMs } = options;
  const sessionOf = createSessionOf(query, options);
  const found = searchBest(database, query, { match, nowMs, sessionOf });
  return new Map([...found].map(([id, turns]) => [id, [...turns]]));
}

/** The best of what was found without the index. */
export function bestOf(results: readonly SearchResult[], limit: number | undefined): SearchResults {
  return best(results.map(toCandidate), limit);
}

function toCandidate(result: SearchResult): Candidate {
  return { ...result, toResult: () => result };
}

function best(candidates: readonly Candidate[], limit: number | undefined): SearchResults {
  const sorted = [...eachConversationOnce(candidates)].sort(byScore);
  return {
    results: sorted.slice(0, limit ?? sorted.length).map((one) => one.toResult()),
    total: sorted.length,
  };
}

interface Reading extends Pick<SearchOptions, "mask" | "best"> {
  readonly database: DatabaseSync;
  readonly query: SearchQuery;
}

function toResult(
  session: IndexedSession,
  matches: readonly Match[],
  { database, query, mask, best }: Reading,
): SearchResult {
  const [first] = matches;
  if (first === undefined) throw new Error("a session that matches has a turn that does");
  const passages = (): readonly Passage[] => passagesOf(database, first.turn).map((one) => masked(one, mask));
  return {
    session,
    turn: toTurn(first.turn),
    excerpt: first.excerpt ?? excerptOf(passages(), shownPhrases(query, best), voicesOf(query)),
    turns: matches.map(toFound).sort((a, b) => a.number - b.number),
    score: first.score,
  };
}

function toFound({ turn, excerpt }: Match): TurnHit {
  return { ...toTurn(turn), ...present({ excerpt }) };
}

function toTurn({ number, messageId, at }: TurnMatch): TurnHit {
  return { number, messageId, at };
}
