/** Searches the index: ranks the turns that match, groups them by session, and takes an excerpt of each best turn. */

import type { DatabaseSync } from "node:sqlite";
import { present } from "@continuo/core/model";
import {
  createSourceReader,
  matchTurns,
  type Passage,
  passagesOf,
  rankedTurns,
  type SourceReader,
  stampsOfSessions,
  type TurnMatch,
  turnsByIds,
} from "@continuo/native/index-file";
import type { IndexedSession, ReadySession } from "../catalog/index.ts";
import { searchBest } from "./best-search.ts";
import {
  type BestMatch,
  bestFirst,
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
  mayBeBest,
  mayReach,
  rankOf,
  type SearchQuery,
  type SearchResult,
  type SearchResults,
  shownPhrases,
  type TurnHit,
  toExpression,
  voicesOf,
} from "./query/index.ts";

/** Chooses the sessions whose text is read for an excerpt. `best` has the best session first. */
export type PickSessions = (best: readonly IndexedSession[]) => readonly IndexedSession[];

export interface SearchOptions {
  /** Sessions that may be in the results, by their number in the index. */
  readonly sessions: ReadonlyMap<number, ReadySession>;
  /** The time now, in milliseconds since 1970; newer turns rank higher. */
  readonly nowMs: number;
  /** Number of the best sessions to return; all without it. */
  readonly limit?: number;
  /** Chooses the results among these; all by default. */
  readonly pick?: PickSessions;
  /** Finds only turns whose text matches this expression. */
  readonly regex?: RegExp;
  /** Returns the part of a text that may be shown; excerpts are cut from it. */
  readonly mask?: (text: string) => string;
  /** Set if a turn may match with most of the words. */
  readonly best?: BestMatch;
  /** Results of sessions that were searched without the index. */
  readonly others?: readonly SearchResult[];
}

export interface IndexResults extends SearchResults {
  /** Numbers of sessions that another process began to change in the meantime; they are left out. */
  readonly changed: readonly number[];
}

interface Match {
  readonly turn: TurnMatch;
  readonly score: number;
  readonly excerpt?: Excerpt;
}

/** The turns of a session that match. */
interface TurnGroup {
  /** The score of the best one. */
  readonly score: number;
  /** The best one first; the others in no particular order. */
  matches(): readonly Match[];
}

/** A session that matches. Its text is read, and its stored facts are parsed, only if it is among the best ones. */
interface Candidate extends Pick<SearchResult, "session" | "score"> {
  /** True if it may be the same conversation as another candidate. */
  readonly hasNativeRefs: boolean;
  toResult(): SearchResult;
}

/** Searches an open index in one transaction, so that all results come from the same state of the index. */
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
  const sourceOf = createSourceReader(database);
  const read = { database, sourceOf, query, ...options };
  const matchOptions = { ...options, sourceOf, unchanged };
  const groups =
    options.best === undefined
      ? matchedBy(database, query, matchOptions)
      : rankedBy(database, query, { ...matchOptions, match: options.best });
  const matched = [...groups].flatMap(([id, group]): Candidate[] => {
    const ready = options.sessions.get(id);
    return ready === undefined ? [] : [new MatchedSession(ready, { id, group }, read)];
  });
  const changed = [...options.sessions.keys()].filter((id) => !unchanged.has(id));
  const prepare = (some: readonly Candidate[]): void =>
    sourceOf.expect(some.flatMap((one) => (one instanceof MatchedSession ? one.id : [])));
  const candidates = [...matched, ...(options.others ?? []).map(toCandidate)];
  return { ...best(candidates, { ...options, prepare }), changed };
}

/** A class, because a search makes thousands of these objects, and V8 is far slower with a getter on each object. */
class MatchedSession implements Candidate {
  readonly id: number;
  readonly hasNativeRefs: boolean;
  readonly score: number;
  readonly #ready: ReadySession;
  readonly #group: TurnGroup;
  readonly #read: TurnReadOptions;

  constructor(
    ready: ReadySession,
    { id, group }: { readonly id: number; readonly group: TurnGroup },
    read: TurnReadOptions,
  ) {
    this.id = id;
    this.hasNativeRefs = ready.hasNativeRefs;
    this.score = group.score;
    this.#ready = ready;
    this.#group = group;
    this.#read = read;
  }

  get session(): IndexedSession {
    return this.#ready.session(this.#read.sourceOf);
  }

  toResult(): SearchResult {
    return toResult(this.session, this.#group.matches(), this.#read);
  }
}

function byRank(a: Match, b: Match): number {
  return b.score - a.score || a.turn.number - b.turn.number;
}

interface MatchOptions extends SearchOptions {
  readonly sourceOf: SourceReader;
  readonly unchanged: ReadonlySet<number>;
}

/** Returns the session with this number; `null` if it does not count. */
type SessionOf = (id: number) => ReadySession | null;

/** Checks each session only once, not again for each of its turns. */
function createSessionOf(query: SearchQuery, { sourceOf, unchanged, sessions }: MatchOptions): SessionOf {
  const known = new Map<number, ReadySession | null>();
  const isAny = !filtersSessions(query);
  const find = (id: number): ReadySession | null => {
    const ready = unchanged.has(id) ? sessions.get(id) : undefined;
    return ready !== undefined && (isAny || isOfSession(ready.session(sourceOf), query)) ? ready : null;
  };
  return (id) => {
    const before = known.get(id);
    if (before !== undefined) return before;
    const session = find(id);
    known.set(id, session);
    return session;
  };
}

/** Returns the session of a turn; `null` if the turn does not count. */
function createFilter(query: SearchQuery, options: MatchOptions): (turn: TurnMatch) => ReadySession | null {
  const sessionOf = createSessionOf(query, options);
  const isAny = !filtersTurns(query);
  return (turn) => {
    const session = sessionOf(turn.session);
    if (session === null || isAny) return session;
    return isOfTurn(turn, session.session(options.sourceOf), query) ? session : null;
  };
}

/** The session is parsed only if the time of a turn is missing. */
function timeOf(
  { at }: Pick<TurnMatch, "at">,
  session: ReadySession,
  sourceOf: SourceReader,
): Pick<IndexedSession, "updatedAt"> {
  return at === null ? session.session(sourceOf) : { updatedAt: null };
}

function matchedBy(database: DatabaseSync, query: SearchQuery, options: MatchOptions): TurnGroups {
  const match = toExpression(query);
  // Only filters and a regular expression need more facts of a turn than its rank does.
  return match === null || options.regex !== undefined || filtersTurns(query)
    ? filteredTurns(database, query, { ...options, ...present({ match: match ?? undefined }) })
    : everyTurn(database, createSessionOf(query, options), { ...options, match });
}

/** The groups have the numbers of their sessions. */
type TurnGroups = ReadonlyMap<number, TurnGroup>;

interface RankedGroup {
  readonly ids: number[];
  best: number;
  number: number;
  score: number;
}

interface RankOptions extends Pick<MatchOptions, "nowMs" | "sourceOf"> {
  readonly match: string;
}

/** Groups every turn that matches. Most turns are only counted: the time of a turn is parsed only if it can be best. */
function everyTurn(
  database: DatabaseSync,
  sessionOf: SessionOf,
  { match, nowMs, sourceOf }: RankOptions,
): TurnGroups {
  const groups = new Map<number, RankedGroup>();
  for (const [id, session, number, at, score] of rankedTurns(database, match, COLUMN_WEIGHTS)) {
    const ready = sessionOf(session);
    if (ready === null) continue;
    const group = groups.get(session);
    group?.ids.push(id);
    if (group !== undefined && !mayReach(group.score, score)) continue;
    const rank = rankOf({ at, score }, timeOf({ at }, ready, sourceOf), nowMs);
    if (group === undefined) groups.set(session, { ids: [id], best: id, number, score: rank });
    else if (rank > group.score || (rank === group.score && number < group.number)) {
      group.best = id;
      group.number = number;
      group.score = rank;
    }
  }
  const matchesOf = ({ ids, best, score }: RankedGroup): readonly Match[] => {
    const turns = turnsByIds(database, ids);
    const first = turns.filter(({ id }) => id === best);
    return [...first, ...turns.filter(({ id }) => id !== best)].map((turn) => ({ turn, score }));
  };
  return new Map(
    [...groups].map(([id, group]) => [id, { score: group.score, matches: () => matchesOf(group) }]),
  );
}

function filteredTurns(
  database: DatabaseSync,
  query: SearchQuery,
  options: MatchOptions & { readonly match?: string },
): TurnGroups {
  const { match, regex, mask, nowMs, sourceOf } = options;
  const groups = new Map<number, Match[]>();
  const sessionOf = createFilter(query, options);
  for (const turn of matchTurns(database, { weights: COLUMN_WEIGHTS, ...present({ match }) })) {
    const session = sessionOf(turn);
    if (session === null) continue;
    const excerpt =
      regex === undefined
        ? undefined
        : firstMatch(passagesOf(database, turn), { regex, mask, voices: voicesOf(query) });
    if (excerpt === null) continue;
    const one = {
      turn,
      score: rankOf(turn, timeOf(turn, session, sourceOf), nowMs),
      ...present({ excerpt }),
    };
    const group = groups.get(turn.session);
    if (group) group.push(one);
    else groups.set(turn.session, [one]);
  }
  return toGroups(groups);
}

function toGroups(matches: ReadonlyMap<number, readonly Match[]>): TurnGroups {
  return new Map(
    [...matches].map(([id, some]): [number, TurnGroup] => {
      const score = some.reduce((most, one) => Math.max(most, one.score), Number.NEGATIVE_INFINITY);
      return [id, { score, matches: () => some.toSorted(byRank) }];
    }),
  );
}

function rankedBy(
  database: DatabaseSync,
  query: SearchQuery,
  options: MatchOptions & { readonly match: BestMatch },
): TurnGroups {
  const { match, nowMs } = options;
  const sessionOf = createFilter(query, options);
  const found = searchBest(database, query, {
    match,
    nowMs,
    sessionOf: (turn) => sessionOf(turn)?.session(options.sourceOf) ?? null,
  });
  return toGroups(found);
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
  /** Called with the few candidates of which more is read. */
  readonly prepare?: (some: readonly Candidate[]) => void;
}

function best(candidates: readonly Candidate[], { limit, pick, prepare }: ResultLimits): SearchResults {
  const once = candidates.some((one) => one.hasNativeRefs) ? eachConversationOnce(candidates) : candidates;
  const some = mayBeBest(once, limit);
  prepare?.(some);
  const found = bestFirst(some, limit);
  const picked = pick === undefined ? null : new Set(pick(found.map(({ session }) => session)));
  const shown = picked === null ? found : found.filter(({ session }) => picked.has(session));
  return { results: shown.map((one) => one.toResult()), total: once.length };
}

interface TurnReadOptions extends Pick<SearchOptions, "mask" | "best"> {
  readonly database: DatabaseSync;
  readonly sourceOf: SourceReader;
  readonly query: SearchQuery;
}

function toResult(
  session: IndexedSession,
  matches: readonly Match[],
  { database, query, mask, best }: TurnReadOptions,
): SearchResult {
  const [first] = matches;
  if (first === undefined) throw new Error("a session that matches must have a turn that matches");
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
