/** Searches one session turn by turn, in the same way as the index. Pure. */

import { present } from "@continuo/core/model";
import type { Turn } from "@continuo/native/index-file";
import type { IndexedSession } from "../../catalog/index.ts";
import type { ByteFilter } from "../bytes/index.ts";
import {
  type BestMatch,
  bm25,
  type Excerpt,
  excerptOf,
  firstMatch,
  greatestRank,
  isOfSession,
  isOfTurn,
  masked,
  phrasesIn,
  rankOf,
  type SearchQuery,
  type SearchResult,
  type TurnHit,
  type TurnStatistics,
  voicesOf,
  withoutGlobal,
} from "../query/index.ts";
import { type MatchedWords, matchWords } from "./match-turn.ts";

export interface MatcherOptions {
  readonly query: SearchQuery;
  readonly best: BestMatch | null;
  /** Excludes most turns, and takes less time than comparing their words. */
  readonly filter: ByteFilter;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  readonly statistics: TurnStatistics;
  readonly regex?: RegExp;
  readonly mask?: (text: string) => string;
  /** Sessions that rank lower than this are not shown: they need only be counted. */
  readonly leastScore?: number;
}

/** The facts of a session that are known before it is read. */
export interface MatchedSession {
  readonly source: string;
  /** When it changed last, in milliseconds since 1970. */
  readonly changedMs: number;
}

export interface SessionMatcher {
  /** Adds the next turn of the session. */
  add(turn: Turn): void;
  /** True if no further turn can change the result. */
  isDone(): boolean;
  /** `null` if no turn matches. */
  result(): ScannedResult | null;
}

/**
 * `briefOf` names the source of a short result: its score is an upper limit, and it lacks the excerpt, some turns, and
 * some facts of its session.
 */
export type ScannedResult = SearchResult & { readonly briefOf?: string };

interface Best {
  readonly turn: TurnHit;
  readonly score: number;
  readonly passages: Turn["passages"];
}

/** No result is lost because of a clock that is wrong by up to a day. */
const TOLERANCE_MS = 86_400_000;

/** Returns a time after which the session has no turn, in milliseconds since 1970. */
export function newestOf(changedMs: number, updatedAt: string | null): number {
  return Math.max(changedMs, Date.parse(updatedAt ?? "") || 0) + TOLERANCE_MS;
}

export function createMatcher(
  session: IndexedSession,
  options: MatcherOptions,
  { source, changedMs }: MatchedSession,
): SessionMatcher {
  const { query, mask, statistics, nowMs, leastScore = 0 } = options;
  const regex = options.regex === undefined ? undefined : withoutGlobal(options.regex);
  const voices = voicesOf(query);
  const isWanted = isOfSession(session, query);
  const newestMs = newestOf(changedMs, session.updatedAt);
  const greatest = greatestRank(statistics, newestMs, nowMs);
  const turns: TurnHit[] = [];
  let best: Best | null = null;
  let [number, most] = [0, 0];
  const isBrief = (): boolean => greatest < leastScore;
  return {
    add(turn) {
      number += 1;
      if (!isWanted || !isOfTurn(turn, session, query)) return;
      const { messageId, at, passages } = turn;
      const words = matchWords(turn, query);
      if (words === null) return;
      const excerpt = regex === undefined ? undefined : firstMatch(passages, { regex, mask, voices });
      if (excerpt === null) return;
      const one = { number, messageId, at, ...present({ excerpt }) };
      turns.push(one);
      const rank = (score: number): number => rankOf({ at, score }, session, nowMs);
      const { score, isExact } = rankAbove(Math.max(best?.score ?? 0, leastScore), words, rank, statistics);
      most = Math.max(most, score);
      if (isExact && score > (best?.score ?? 0)) best = { turn: one, score, passages };
    },
    isDone: () => turns.length > 0 && isBrief(),
    result() {
      const [first] = turns;
      if (first === undefined) return null;
      if (best === null || best.score < leastScore || isBrief()) {
        const { excerpt: _, ...turn } = first;
        const score = isBrief() ? greatest : most;
        return { session, turn, turns: [turn], score, excerpt: null, briefOf: source };
      }
      const { turn, passages } = best;
      const { excerpt, ...place } = turn;
      const cut = (): Excerpt | null =>
        excerptOf(
          passages.map((one) => masked(one, mask)),
          phrasesIn(query),
          voices,
        );
      return { session, turn: place, turns, score: best.score, excerpt: excerpt ?? cut() };
    },
  };
}

interface Rank {
  /** The rank of the turn if `isExact`; otherwise an upper limit of it. */
  readonly score: number;
  readonly isExact: boolean;
}

/** Does not count the words of a turn that cannot rank as high as `least`. */
function rankAbove(
  least: number,
  { phrases, leastWords, words }: MatchedWords,
  toRank: (score: number) => number,
  statistics: TurnStatistics,
): Rank {
  if (phrases.length === 0) return { score: toRank(0), isExact: true };
  // A turn with fewer words ranks higher, so a count that is too low gives an upper limit.
  for (const count of [() => 0, leastWords]) {
    const score = toRank(bm25({ phrases, words: count() }, statistics));
    if (score < least) return { score, isExact: false };
  }
  return { score: toRank(bm25({ phrases, words: words() }, statistics)), isExact: true };
}

/** Returns the texts in the form in which the filter sees them, which is the text inside JSON. */
export function bytesOf({ passages, files }: Turn): Buffer {
  const text = [...passages.map((one) => one.text), ...files].join("\n");
  return Buffer.from(text.replaceAll("\\", "\\\\"));
}
