/** Searches the index: ranks the turns that match, groups them by session, and takes an excerpt of each best turn. */

import type { DatabaseSync } from "node:sqlite";
import { present } from "@continuo/core/model";
import {
  bestTurns,
  createPassageReader,
  createSourceReader,
  type Passage,
  passagesOf,
  type RankedTurnsQuery,
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
  hasMatch,
  isOfSession,
  isOfTurn,
  masked,
  mayBeBest,
  RANK_SQL,
  type SearchQuery,
  type SearchResult,
  type SearchResults,
  shownPhrases,
  type TurnHit,
  toExpression,
  toTurnCondition,
  voicesOf,
  withoutGlobal,
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
  const without: number[] = [];
  for (const [id, stamp] of stampsOfSessions(database)) {
    if (options.sessions.get(id)?.stamp === stamp) unchanged.add(id);
    else without.push(id);
  }
  const sourceOf = createSourceReader(database);
  const read = { database, sourceOf, query, ...options };
  const matchOptions = { ...options, sourceOf, unchanged, without };
  const { groups, beyond } =
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
  const { results, total } = best(candidates, { ...options, prepare });
  return { results, total: total + beyond, changed };
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
  /** All other sessions of the index. */
  readonly without: readonly number[];
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

/** The best sessions that match, and perhaps all others. */
interface MatchedGroups {
  readonly groups: TurnGroups;
  /** The number of the sessions that match and are not among the groups. */
  readonly beyond: number;
}

function matchedBy(database: DatabaseSync, query: SearchQuery, options: MatchOptions): MatchedGroups {
  const { regex } = options;
  return regex === undefined
    ? bestSessions(database, query, options)
    : every(testedSessions(database, query, { ...options, regex }));
}

function every(groups: TurnGroups): MatchedGroups {
  return { groups, beyond: 0 };
}

function rankingOf(query: SearchQuery, { nowMs, without }: MatchOptions): RankedTurnsQuery {
  return {
    match: toExpression(query) ?? undefined,
    condition: toTurnCondition(query) ?? undefined,
    weights: COLUMN_WEIGHTS,
    rank: RANK_SQL,
    values: { nowMs },
    without,
  };
}

/** The groups have the numbers of their sessions. */
type TurnGroups = ReadonlyMap<number, TurnGroup>;

interface RankedGroup {
  /** The turns, the best one first. */
  readonly ids: number[];
  readonly score: number;
}

/** SQLite ranks every turn that matches, and returns only those of the sessions that may be shown. */
function bestSessions(database: DatabaseSync, query: SearchQuery, options: MatchOptions): MatchedGroups {
  const { limit, sessions, others = [] } = options;
  // A filter, or a conversation that is in two sessions, can take away one of the best.
  const needsAll =
    filtersSessions(query) ||
    [...sessions.values()].some(({ hasNativeRefs }) => hasNativeRefs) ||
    others.some(({ session }) => session.nativeRefs.length > 0);
  const { turns, total } = bestTurns(database, {
    ...rankingOf(query, options),
    sessions: needsAll ? undefined : limit,
  });
  const groups = new Map<number, RankedGroup>();
  for (const [id, session, score] of turns) {
    const group = groups.get(session);
    if (group === undefined) groups.set(session, { ids: [id], score });
    else group.ids.push(id);
  }
  const beyond = total - groups.size;
  const sessionOf = createSessionOf(query, options);
  for (const id of groups.keys()) if (sessionOf(id) === null) groups.delete(id);
  const matchesOf = ({ ids, score }: RankedGroup): readonly Match[] => {
    return bestTurnFirst(turnsByIds(database, ids), ids[0]).map((turn) => ({ turn, score }));
  };
  return {
    groups: new Map(
      [...groups].map(([id, group]) => [id, { score: group.score, matches: () => matchesOf(group) }]),
    ),
    beyond,
  };
}

function bestTurnFirst(turns: readonly TurnMatch[], best: number | undefined): readonly TurnMatch[] {
  return [...turns.filter(({ id }) => id === best), ...turns.filter(({ id }) => id !== best)];
}

/** The turns of a session that a regular expression may match, and the best one that it does. */
interface TestedGroup {
  readonly session: number;
  readonly ids: number[];
  best: { readonly id: number; readonly rank: number; readonly number: number } | null;
}

/**
 * Finds the best turn of each session that the regular expression matches. The text of a turn that ranks below a match
 * is read only if its session is shown.
 */
function testedSessions(
  database: DatabaseSync,
  query: SearchQuery,
  options: MatchOptions & { readonly regex: RegExp },
): TurnGroups {
  const { regex, mask } = options;
  const wanted = { regex: withoutGlobal(regex), mask, voices: voicesOf(query) };
  const sessionOf = createSessionOf(query, options);
  const passages = createPassageReader(database);
  const groups = new Map<number, TurnGroup>();
  const end = ({ session, ids, best }: TestedGroup): void => {
    if (best === null) return;
    const matchesOf = (): readonly Match[] =>
      bestTurnFirst(turnsByIds(database, ids), best.id).flatMap((turn): readonly Match[] => {
        const excerpt = firstMatch(passages(turn), wanted);
        return excerpt === null ? [] : [{ turn, score: best.rank, excerpt }];
      });
    groups.set(session, { score: best.rank, matches: matchesOf });
  };
  let group: TestedGroup = { session: -1, ids: [], best: null };
  for (const [id, session, rank, number, chunk] of rankedTurns(database, rankingOf(query, options))) {
    if (sessionOf(session) === null) continue;
    if (group.session !== session) {
      end(group);
      group = { session, ids: [], best: null };
    }
    group.ids.push(id);
    const isBetter =
      group.best === null ||
      rank > group.best.rank ||
      (rank === group.best.rank && number < group.best.number);
    if (isBetter && hasMatch(passages({ chunk, number }), wanted)) group.best = { id, rank, number };
  }
  end(group);
  return groups;
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
): MatchedGroups {
  const { match, nowMs } = options;
  const sessionOf = createFilter(query, options);
  const found = searchBest(database, query, {
    match,
    nowMs,
    sessionOf: (turn) => sessionOf(turn)?.session(options.sourceOf) ?? null,
  });
  return every(toGroups(found));
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
