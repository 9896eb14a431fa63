/** Ranks a turn by BM25 over its words: words of people count more, and newer turns rank higher. Pure. */

import { VOICES, type Voice } from "@continuo/native/index-file";
import type { IndexedSession } from "../../catalog/index.ts";

/** The weights of words by their voice: the words of a person describe a session best. */
export const WEIGHTS: Readonly<Record<Voice | "parts", number>> = {
  person: 4,
  agent: 2,
  call: 1.5,
  result: 0.7,
  other: 0.2,
  parts: 1,
};

/** The weights in the order of the columns of the index. */
export const COLUMN_WEIGHTS: readonly number[] = [...VOICES, "parts" as const].map(
  (column) => WEIGHTS[column],
);

/** The share by which a turn of today ranks above an old one. */
const RECENT_BONUS = 0.6;
/** The days after which about a third of the bonus is left. */
const RECENT_DAYS = 30;
const DAY_MS = 86_400_000;

export interface RankedTurn {
  readonly at: string | null;
  /** The score of BM25; 0 if the query has no words. */
  readonly score: number;
}

/** Returns the rank; a greater one is better. @param nowMs milliseconds since 1970 */
export function rankOf(turn: RankedTurn, session: Pick<IndexedSession, "updatedAt">, nowMs: number): number {
  const recency = 1 + RECENT_BONUS * recencyOf(Date.parse(turn.at ?? session.updatedAt ?? ""), nowMs);
  // If the query has no words, the newest turns come first.
  return turn.score === 0 ? recency : turn.score * recency;
}

/** `rankOf` as an SQL expression over `score` and `at_ms`, with the parameter `nowMs`. */
export const RANK_SQL: string = toRankSql();

function toRankSql(): string {
  const recency = `(1 + ${RECENT_BONUS} * coalesce(exp(-max(0, $nowMs - at_ms) / ${RECENT_DAYS * DAY_MS}.0), 0))`;
  return `(case when score = 0 then ${recency} else score * ${recency} end)`;
}

/** Returns a number from 1 for now to 0 for a time long ago; 0 also for a time that is not known (`NaN`). */
export function recencyOf(atMs: number, nowMs: number): number {
  return Number.isNaN(atMs) ? 0 : Math.exp(-Math.max(0, nowMs - atMs) / (RECENT_DAYS * DAY_MS));
}

/** Statistics of all turns. */
export interface TurnStatistics {
  readonly turns: number;
  /** Turns that hold a phrase, for each phrase of the query. */
  readonly withPhrase: readonly number[];
  readonly meanWords: number;
}

/** Counts of a turn for BM25. */
export interface TurnCounts {
  /** The occurrences of each phrase, each with the weight of its voice. */
  readonly phrases: readonly number[];
  readonly words: number;
}

const [K1, B] = [1.2, 0.75];
/** The weight of a phrase that is in most turns, as in FTS5. */
const LEAST_IDF = 1e-6;

/** Computes the score by the formula of FTS5. */
export function bm25({ phrases, words }: TurnCounts, statistics: TurnStatistics): number {
  const { turns, withPhrase, meanWords } = statistics;
  const length = K1 * (1 - B + (B * words) / meanWords);
  return phrases.reduce((sum, count, at) => {
    const found = withPhrase[at] ?? 0;
    const idf = Math.log((turns - found + 0.5) / (found + 0.5));
    return sum + (idf > 0 ? idf : LEAST_IDF) * ((count * (K1 + 1)) / (count + length));
  }, 0);
}

/**
 * Returns the share of a score that a piece of a turn contributes, for a query of one phrase. A turn reaches the score
 * only if the shares of its pieces add up to at least 1. No share is below 0: a piece that belongs to another turn
 * never lowers the sum.
 */
export function shareOfPiece(
  { phrases: [count = 0], words }: TurnCounts,
  score: number,
  { turns, withPhrase: [found = 0], meanWords }: TurnStatistics,
): number {
  const idf = Math.log((turns - found + 0.5) / (found + 0.5));
  const wanted = score / (idf > 0 ? idf : LEAST_IDF);
  // `bm25(turn) >= score`, solved for the sums over the pieces of the turn.
  const gain = count * (K1 + 1 - wanted) - (wanted * K1 * B * words) / meanWords;
  return Math.max(0, gain / (wanted * K1 * (1 - B)));
}

/** Returns a rank that no turn exceeds. @param newestMs the time of the newest turn, in milliseconds since 1970 */
export function greatestRank(statistics: TurnStatistics, newestMs: number, nowMs: number): number {
  const phrases = statistics.withPhrase.map(() => Number.MAX_SAFE_INTEGER);
  const score = phrases.length === 0 ? 0 : bm25({ phrases, words: 0 }, statistics);
  return rankOf({ at: new Date(newestMs).toISOString(), score }, { updatedAt: null }, nowMs);
}

/** Returns the weight of a term: it is greater if fewer turns have the term, and 0 if no turn has it. */
export function rarityOf(withTerm: number, turns: number): number {
  if (withTerm === 0) return 0;
  return Math.log(1 + (turns - withTerm + 0.5) / (withTerm + 0.5));
}
