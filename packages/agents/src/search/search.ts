/** A search in the index: turns that match, ranked, grouped by session, with an excerpt of the best turn of each. */

import type { DatabaseSync } from "node:sqlite";
import { present } from "@continuo/core/model";
import {
  matchTurns,
  type Passage,
  passagesOf,
  type RankedTurn,
  rankedTurns,
  stampsOfSessions,
  type TurnMatch,
  turnsByIds,
} from "@continuo/native/index-file";
import type { IndexedSession, ReadySession } from "../catalog/index.ts";
import { searchBest } from "./best-search.ts";
import {
  type BestMatch,
  byScore,
  COLUMN_WEIGHTS,
  type Excerpt,
  eachConversationOnce,
  excerptOf,
  filtersSessions,
  filtersTurns,
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

/** Returns those of the sessions, the best one first, whose text is read for an excerpt. */
export type PickSessions = (best: readonly IndexedSession[]) => readonly IndexedSession[];

export interface SearchOptions {
  /** Sessions that may be answered from, by their number in the index. */
  readonly sessions: ReadonlyMap<number, ReadySession>;
  /** The time now, in milliseconds since 1970: what is newer ranks higher. */
  readonly nowMs: number;
  /** Number of the best sessions to return; all without it. */
  readonly limit?: number;
  /** Chooses the results among these; all by default. */
  readonly pick?: PickSessions;
  /** Only turns with a text that this matches. */
  readonly regex?: RegExp;
  /** Returns the part of a text that may be shown; excerpts are cut from it. */
  readonly mask?: (text: string) => string;
  /** Set if a turn may match with most of the words. */
  readonly best?: BestMatch;
  /** Results of sessions that the index does not answer for. */
  readonly others?: readonly SearchResult[];
}

export interface IndexResults extends SearchResults {
  /** Numbers of sessions that another process has begun to change since; they are left out. */
  readonly changed: readonly number[];
}

interface Match {
  readonly turn: RankedTurn | TurnMatch;
  readonly score: number;
  readonly excerpt?: Excerpt;
}

/** A session that matches. Its text is read, and its stored facts are parsed, only if it is among the best ones. */
interface Candidate extends Pick<SearchResult, "session" | "score"> {
  /** True if it may be the same conversation as another candidate. */
  readonly hasNativeRefs: boolean;
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
  const read = { database, query, ...options };
  const groups =
    options.best === undefined
      ? matchedBy(database, query, { ...options, unchanged })
      : rankedBy(database, query, { ...options, unchanged, match: options.best });
  const matched = [...groups].flatMap(([id, matches]): Candidate[] => {
    const ready = options.sessions.get(id);
    return ready === undefined ? [] : [toMatched(ready, matches, read)];
  });
  const changed = [...options.sessions.keys()].filter((id) => !unchanged.has(id));
  return { ...best([...matched, ...(options.others ?? []).map(toCandidate)], options), changed };
}

function toMatched(ready: ReadySession, matches: Match[], read: TurnReadOptions): Candidate {
  return {
    get session() {
      return ready.session();
    },
    hasNativeRefs: ready.hasNativeRefs,
    score: matches.reduce((most, { score }) => Math.max(most, score), Number.NEGATIVE_INFINITY),
    toResult: () => toResult(ready.session(), matches.sort(byRank), read),
  };
}

function byRank(a: Match, b: Match): number {
  return b.score - a.score || a.turn.number - b.turn.number;
}

interface MatchOptions extends SearchOptions {
  readonly unchanged: ReadonlySet<number>;
}

type SessionOfTurn = (turn: RankedTurn | TurnMatch) => ReadySession | null;

/** Returns the session of a turn; `null` if the turn does not count. A session is asked about once, not for each turn. */
function createSessionOf(query: SearchQuery, { unchanged, sessions }: MatchOptions): SessionOfTurn {
  const known = new Map<number, ReadySession | null>();
  const isAny = !filtersSessions(query);
  const isAnyTurn = !filtersTurns(query);
  const sessionOf = (id: number): ReadySession | null => {
    const ready = unchanged.has(id) ? sessions.get(id) : undefined;
    return ready !== undefined && (isAny || isOfSession(ready.session(), query)) ? ready : null;
  };
  return (turn) => {
    let session = known.get(turn.session);
    if (session === undefined) {
      session = sessionOf(turn.session);
      known.set(turn.session, session);
    }
    if (session === null || isAnyTurn) return session;
    return isWhole(turn) && isOfTurn(turn, session.session(), query) ? session : null;
  };
}

function isWhole(turn: RankedTurn | TurnMatch): turn is TurnMatch {
  return "chunk" in turn;
}

const UNKNOWN_TIME = { updatedAt: null };

function matchedBy(database: DatabaseSync, query: SearchQuery, options: MatchOptions): Map<number, Match[]> {
  const { regex, mask, nowMs } = options;
  const match = toExpression(query) ?? undefined;
  const groups = new Map<number, Match[]>();
  const sessionOf = createSessionOf(query, options);
  // Only filters and a regular expression look at more of a turn than ranks it.
  const turns =
    match !== undefined && regex === undefined && !filtersTurns(query)
      ? rankedTurns(database, match, COLUMN_WEIGHTS)
      : matchTurns(database, present({ match, weights: COLUMN_WEIGHTS }));
  for (const turn of turns) {
    const session = sessionOf(turn);
    if (session === null) continue;
    const excerpt =
      regex === undefined || !isWhole(turn)
        ? undefined
        : firstMatch(passagesOf(database, turn), { regex, mask, voices: voicesOf(query) });
    if (excerpt === null) continue;
    const score = rankOf(turn, turn.at === null ? session.session() : UNKNOWN_TIME, nowMs);
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
  options: MatchOptions & { readonly match: BestMatch },
): Map<number, Match[]> {
  const { match, nowMs } = options;
  const sessionOf = createSessionOf(query, options);
  const found = searchBest(database, query, {
    match,
    nowMs,
    sessionOf: (turn) => sessionOf(turn)?.session() ?? null,
  });
  return new Map([...found].map(([id, turns]) => [id, [...turns]]));
}

/** The best matches that were found without the index. */
export function bestOf(results: readonly SearchResult[], wanted: ResultLimits): SearchResults {
  return best(results.map(toCandidate), wanted);
}

function toCandidate(result: SearchResult): Candidate {
  const { session, score } = result;
  return { session, score, hasNativeRefs: session.nativeRefs.length > 0, toResult: () => result };
}

interface ResultLimits {
  readonly limit?: number | undefined;
  readonly pick?: PickSessions | undefined;
}

function best(candidates: readonly Candidate[], { limit, pick }: ResultLimits): SearchResults {
  const once = candidates.some((one) => one.hasNativeRefs) ? eachConversationOnce(candidates) : candidates;
  const sorted = [...once].sort(byScore);
  const found = sorted.slice(0, limit ?? sorted.length);
  const picked = pick === undefined ? null : new Set(pick(found.map(({ session }) => session)));
  const shown = picked === null ? found : found.filter(({ session }) => picked.has(session));
  return { results: shown.map((one) => one.toResult()), total: sorted.length };
}

interface TurnReadOptions extends Pick<SearchOptions, "mask" | "best"> {
  readonly database: DatabaseSync;
  readonly query: SearchQuery;
}

function toResult(
  session: IndexedSession,
  matches: readonly Match[],
  { database, query, mask, best }: TurnReadOptions,
): SearchResult {
  const whole = withWholeTurns(database, matches);
  const [first] = whole;
  if (first === undefined) throw new Error("a session that matches has a turn that does");
  const passages = (): readonly Passage[] => passagesOf(database, first.turn).map((one) => masked(one, mask));
  return {
    session,
    turn: toTurn(first.turn),
    excerpt: first.excerpt ?? excerptOf(passages(), shownPhrases(query, best), voicesOf(query)),
    turns: whole.map(toFound).sort((a, b) => a.number - b.number),
    score: first.score,
  };
}

interface WholeMatch extends Match {
  readonly turn: TurnMatch;
}

function withWholeTurns(database: DatabaseSync, matches: readonly Match[]): readonly WholeMatch[] {
  const ranked = matches.filter(({ turn }) => !isWhole(turn)).map(({ turn }) => turn.id);
  const read = new Map(
    ranked.length === 0 ? [] : turnsByIds(database, ranked).map((turn) => [turn.id, turn]),
  );
  return matches.flatMap((match): readonly WholeMatch[] => {
    const turn = isWhole(match.turn) ? match.turn : read.get(match.turn.id);
    return turn === undefined ? [] : [{ ...match, turn }];
  });
}

function toFound({ turn, excerpt }: WholeMatch): TurnHit {
  return { ...toTurn(turn), ...present({ excerpt }) };
}

function toTurn({ number, messageId, at }: TurnMatch): TurnHit {
  return { number, messageId, at };
}
