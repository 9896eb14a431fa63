/** A search: turns that match, ranked, grouped by session, with an excerpt of the best turn of each. */

import type { DatabaseSync } from "node:sqlite";
import type { IndexedSession } from "../catalog/index.ts";
import {
  matchTurns,
  type Passage,
  passagesOf,
  stampsOfSessions,
  type TurnMatch,
} from "../index-file/index.ts";
import { present } from "../model/index.ts";
import { type Excerpt, excerptAt, excerptOf } from "./excerpt.ts";
import { toExpression, voicesOf } from "./expression.ts";
import type { SearchQuery } from "./query.ts";

/** A session as it was when the index was brought up to date. */
export type ReadySession = IndexedSession & { readonly stamp: string };

export interface SearchOptions {
  /** Sessions that may be answered from, by their number in the index. */
  readonly sessions: ReadonlyMap<number, ReadySession>;
  /** The time now, in milliseconds since 1970: what is newer ranks higher. */
  readonly nowMs: number;
  /** Number of the best sessions to return; all without it. */
  readonly limit?: number;
  /** Only turns with a text that this matches. */
  readonly regex?: RegExp;
  /** What may be shown of a text: excerpts are cut from what this returns. */
  readonly mask?: (text: string) => string;
}

export interface FoundTurn {
  /** 1-based, within its session. */
  readonly number: number;
  readonly messageId: string;
  readonly at: string | null;
  /** Where a regular expression was asked for: its first match in this turn. */
  readonly excerpt?: Excerpt;
}

export interface SearchResult {
  readonly session: IndexedSession;
  /** The one that matches best. */
  readonly turn: FoundTurn;
  readonly excerpt: Excerpt | null;
  /** Every turn of the session that matches, in order. */
  readonly turns: readonly FoundTurn[];
  readonly score: number;
}

export interface SearchResults {
  readonly results: readonly SearchResult[];
  /** Sessions that match, before `limit`. */
  readonly total: number;
  /** Sessions that another process has begun to change since; they are left out. */
  readonly changed: number;
}

interface Match {
  readonly turn: TurnMatch;
  readonly session: IndexedSession;
  readonly score: number;
  readonly excerpt?: Excerpt;
}

/** Within an open index, on one state of it. */
export function search(database: DatabaseSync, query: SearchQuery, options: SearchOptions): SearchResults {
  database.exec("begin");
  try {
    return searchNow(database, query, options);
  } finally {
    database.exec("rollback");
  }
}

function searchNow(database: DatabaseSync, query: SearchQuery, options: SearchOptions): SearchResults {
  const unchanged = new Set<number>();
  for (const [id, stamp] of stampsOfSessions(database)) {
    if (options.sessions.get(id)?.stamp === stamp) unchanged.add(id);
  }
  const match = toExpression(query);
  const found = matchTurns(database, present({ match: match ?? undefined, weights: WEIGHTS }));
  const matches: Match[] = [];
  for (const turn of found) {
    const session = unchanged.has(turn.session) ? options.sessions.get(turn.session) : undefined;
    if (session === undefined || !isOfSession(session, query) || !isOfTurn(turn, session, query)) continue;
    const score = rankOf(turn, session, options.nowMs);
    if (options.regex === undefined) matches.push({ turn, session, score });
    else {
      const { regex, mask } = options;
      matches.push(...withRegex({ turn, session, score }, { database, query, regex, mask }));
    }
  }
  const groups = eachConversationOnce([...groupBySession(matches).values()]).sort(byScore);
  const shown = groups.slice(0, options.limit ?? groups.length);
  return {
    results: shown.map((group) => toResult(database, group, { query, mask: options.mask })),
    total: groups.length,
    changed: options.sessions.size - unchanged.size,
  };
}

interface Scan {
  readonly database: DatabaseSync;
  readonly query: SearchQuery;
  readonly regex: RegExp;
  readonly mask: SearchOptions["mask"];
}

function withRegex(match: Match, { database, query, regex, mask }: Scan): Match[] {
  const voices = voicesOf(query.roles);
  const first = new RegExp(regex.source, regex.flags.replace("g", ""));
  for (const passage of passagesOf(database, match.turn)) {
    if (!voices.includes(passage.voice) || !first.test(passage.text)) continue;
    const shown = masked(passage, mask);
    const hit = first.exec(shown.text);
    const range = hit === null ? NOWHERE : { start: hit.index, end: hit.index + hit[0].length };
    return [{ ...match, excerpt: excerptAt(shown, range) }];
  }
  return [];
}

/** What matched is masked: its text is shown from the start. */
const NOWHERE = { start: 0, end: 0 };

function masked(passage: Passage, mask: SearchOptions["mask"]): Passage {
  return mask === undefined ? passage : { ...passage, text: mask(passage.text) };
}

function isOfSession(
  { agent, cwd, location, gitBranch }: IndexedSession,
  { agents, projects, branches }: SearchQuery,
): boolean {
  const has = (text: string | null, parts: readonly string[]): boolean =>
    parts.length === 0 || parts.some((part) => text?.toLowerCase().includes(part) === true);
  return (
    (agents.length === 0 || agents.includes(agent)) &&
    has(cwd ?? location, projects) &&
    has(gitBranch, branches)
  );
}

function isOfTurn(
  turn: TurnMatch,
  session: IndexedSession,
  { tools, files, since, error }: SearchQuery,
): boolean {
  const at = turn.at ?? session.updatedAt;
  return (
    tools.every((tool) => turn.tools.some((name) => name.toLowerCase() === tool)) &&
    files.every((file) => turn.files.some((path) => path.toLowerCase().includes(file))) &&
    (since === null || (at !== null && at >= since)) &&
    (error === null || turn.errors > 0)
  );
}

function groupBySession(matches: readonly Match[]): Map<number, Match[]> {
  const groups = new Map<number, Match[]>();
  for (const match of matches) {
    const group = groups.get(match.turn.session);
    if (group) group.push(match);
    else groups.set(match.turn.session, [match]);
  }
  for (const group of groups.values())
    group.sort((a, b) => b.score - a.score || a.turn.number - b.turn.number);
  return groups;
}

/** An own session that continues in a native one is the same conversation: if both match, the own one is returned. */
function eachConversationOnce(groups: readonly Match[][]): Match[][] {
  const same = new Set(
    groups
      .flatMap(([match]) => match?.session.nativeRefs ?? [])
      .map(({ agent, sessionId }) => `${agent}:${sessionId}`),
  );
  if (same.size === 0) return [...groups];
  return groups.filter(([match]) => !same.has(`${match?.session.agent}:${match?.session.sessionId}`));
}

/** Equal scores by the newest, then by place, so that the order never depends on the order of the file. */
function byScore([a]: readonly Match[], [b]: readonly Match[]): number {
  if (a === undefined || b === undefined) return 0;
  const [x, y] = [a.session.updatedAt ?? "", b.session.updatedAt ?? ""];
  return b.score - a.score || (x < y ? 1 : x > y ? -1 : a.session.location < b.session.location ? -1 : 1);
}

function toResult(
  database: DatabaseSync,
  group: readonly Match[],
  { query, mask }: { readonly query: SearchQuery; readonly mask: SearchOptions["mask"] },
): SearchResult {
  const [best] = group;
  if (best === undefined) throw new Error("a group has a match");
  const phrases = [...query.all, ...(query.error === null || query.error === "any" ? [] : query.error)];
  const passages = (): readonly Passage[] => passagesOf(database, best.turn).map((one) => masked(one, mask));
  return {
    session: best.session,
    turn: toTurn(best.turn),
    excerpt: best.excerpt ?? excerptOf(passages(), phrases, voicesOf(query.roles)),
    turns: group.map(toFound).sort((a, b) => a.number - b.number),
    score: best.score,
  };
}

function toFound({ turn, excerpt }: Match): FoundTurn {
  return excerpt === undefined ? toTurn(turn) : { ...toTurn(turn), excerpt };
}

function toTurn({ number, messageId, at }: TurnMatch): FoundTurn {
  return { number, messageId, at };
}

/** Of the columns person, agent, call, result, other, parts: a person's words describe a session best. */
const WEIGHTS: readonly number[] = [4, 2, 1.5, 0.7, 0.2, 1];

/** The share by which a turn of today ranks above an old one. */
const RECENT_BONUS = 0.6;
/** After this time, the bonus is about a third. */
const RECENT_DAYS = 30;
const DAY_MS = 86_400_000;

/** The rank of a match; greater is better. */
function rankOf(turn: TurnMatch, session: IndexedSession, nowMs: number): number {
  const at = Date.parse(turn.at ?? session.updatedAt ?? "");
  const ageDays = Number.isNaN(at) ? Number.POSITIVE_INFINITY : Math.max(0, nowMs - at) / DAY_MS;
  const recency = 1 + RECENT_BONUS * Math.exp(-ageDays / RECENT_DAYS);
  // Without words, the newest come first.
  return turn.score === 0 ? recency : turn.score * recency;
}
