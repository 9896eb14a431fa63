/** Searches one session for turns with most of the words, in the same way as the index. Pure. */

import type { Turn } from "@continuo/native/index-file";
import type { IndexedSession } from "../../catalog/index.ts";
import {
  type BestMatch,
  CLOSE_TURNS,
  closeFactor,
  closenessOf,
  excerptOf,
  isOfSession,
  isOfTurn,
  masked,
  rankAlone,
  rankBestMatch,
  rarityOf,
  type ScoredTurn,
  shownPhrases,
  type TurnHit,
  voicesOf,
} from "../query/index.ts";
import { scoreForms } from "./match-turn.ts";
import { bytesOf, type MatcherOptions, type SessionMatcher } from "./session-matcher.ts";

type KeptTurn = TurnHit & ScoredTurn;

interface CloseTurn {
  readonly turn: KeptTurn;
  readonly rank: number;
  readonly passages: Turn["passages"];
}

export function createBestMatcher(
  session: IndexedSession,
  options: MatcherOptions & { readonly best: BestMatch },
): SessionMatcher {
  const { query, best, filter, nowMs, statistics, mask } = options;
  const isWanted = isOfSession(session, query);
  const turns: KeptTurn[] = [];
  const ranking = { match: best, rarity: raritiesOf(best, statistics), nowMs };
  /** The turns that may be the best, with their texts: the others are not kept in memory. */
  let close: readonly CloseTurn[] = [];
  let number = 0;
  return {
    add(turn) {
      number += 1;
      if (!isWanted || !isOfTurn(turn, session, query)) return;
      if (filter.isSelective && !filter.begin().add(bytesOf(turn), "last")) return;
      const scores = scoreForms(turn, query, { best, statistics });
      if (scores === null) return;
      if (scores.every((forms) => forms.every((score) => score === 0))) return;
      const { messageId, at, passages } = turn;
      const one = { number, messageId, at, scores };
      turns.push(one);
      const rank = rankAlone(one, session, ranking);
      if (rank === null) return;
      close = [...close, { turn: one, rank, passages }].sort((a, b) => b.rank - a.rank).slice(0, CLOSE_TURNS);
    },
    isDone: () => false,
    result() {
      const texts = new Map(close.map(({ turn, passages }) => [turn, passages]));
      const ranked = rankBestMatch(turns, session, ranking)
        .map(({ turn, score }) => {
          const passages = texts.get(turn);
          const factor = passages === undefined ? 1 : closeFactor(closenessOf(passages, ranking));
          return { turn, score: score * factor };
        })
        .sort((a, b) => b.score - a.score || a.turn.number - b.turn.number);
      // Only a turn whose text is available can be shown.
      const first = ranked.find(({ turn }) => texts.has(turn));
      if (first === undefined) return null;
      const passages = (texts.get(first.turn) ?? []).map((one) => masked(one, mask));
      return {
        session,
        turn: toHit(first.turn),
        turns: ranked.map(({ turn }) => toHit(turn)).sort((a, b) => a.number - b.number),
        score: first.score,
        excerpt: excerptOf(passages, shownPhrases(query, best), voicesOf(query)),
      };
    },
  };
}

function toHit({ number, messageId, at }: KeptTurn): TurnHit {
  return { number, messageId, at };
}

/** A term is as rare as the form that most turns have. */
function raritiesOf({ terms }: BestMatch, { turns, withPhrase }: MatcherOptions["statistics"]): number[] {
  let at = 0;
  return terms.map(({ forms }) => {
    const counts = withPhrase.slice(at, at + forms.length);
    at += forms.length;
    return rarityOf(Math.max(0, ...counts), turns);
  });
}
