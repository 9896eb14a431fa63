/** One session searched turn after turn, as the index would be searched. Pure. */

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
} from "../query/index.ts";
import { matchWords } from "./match-turn.ts";

export interface MatcherOptions {
  readonly query: SearchQuery;
  readonly best: BestMatch | null;
  /** Excludes most turns, faster than their words are compared. */
  readonly filter: ByteFilter;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  readonly statistics: TurnStatistics;
  readonly regex?: RegExp;
  readonly mask?: (text: string) => string;
}

export interface SessionMatcher {
  /** The next turn of the session. */
  add(turn: Turn): void;
  /** `null` where no turn matches. */
  result(): SearchResult | null;
}

interface Best {
  readonly turn: TurnHit;
  readonly score: number;
  readonly passages: Turn["passages"];
}

export function createMatcher(session: IndexedSession, options: MatcherOptions): SessionMatcher {
  const { query, mask } = options;
  const isWanted = isOfSession(session, query);
  const turns: TurnHit[] = [];
  let best: Best | null = null;
  let number = 0;
  return {
    add(turn) {
      number += 1;
      const found = isWanted && isOfTurn(turn, session, query) ? matchTurn(turn, session, options) : null;
      if (found === null) return;
      const { messageId, at, passages } = turn;
      const { score, excerpt } = found;
      const one = { number, messageId, at, ...present({ excerpt }) };
      turns.push(one);
      if (best === null || score > best.score) best = { turn: one, score, passages };
    },
    result() {
      if (best === null) return null;
      const { turn, score, passages } = best;
      const { excerpt, ...place } = turn;
      return {
        session,
        turn: place,
        turns,
        score,
        excerpt:
          excerpt ??
          excerptOf(
            passages.map((one) => masked(one, mask)),
            phrasesIn(query),
            voicesOf(query),
          ),
      };
    },
  };
}

interface FoundInTurn {
  readonly score: number;
  readonly excerpt: Excerpt | undefined;
}

function matchTurn(
  turn: Turn,
  session: IndexedSession,
  { query, filter, nowMs, statistics, regex, mask }: MatcherOptions,
): FoundInTurn | null {
  if (filter.isSelective && !filter.begin().add(bytesOf(turn), "last")) return null;
  const counts = matchWords(turn, query);
  if (counts === null) return null;
  const excerpt =
    regex === undefined ? undefined : firstMatch(turn.passages, { regex, mask, voices: voicesOf(query) });
  if (excerpt === null) return null;
  const score = counts.phrases.length === 0 ? 0 : bm25(counts, statistics);
  return { score: rankOf({ at: turn.at, score }, session, nowMs), excerpt };
}

/** The form in which the filter sees texts: inside of JSON. */
export function bytesOf({ passages, files }: Turn): Buffer {
  const text = [...passages.map((one) => one.text), ...files].join("\n");
  return Buffer.from(text.replaceAll("\\", "\\\\"));
}
