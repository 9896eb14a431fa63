/**
 * A query: as people type it, as an expression for the index, as filters, and how its results rank and look.
 *
 * Promises: pure; what a person types is never syntax of the database; equal input gives the same order.
 * Does not know: where sessions lie, or whether they are indexed.
 */

export {
  type BestMatch,
  closeFactor,
  rankAlone,
  rankBestMatch,
  type ScoredTurn,
  type TurnRank,
  toBestMatch,
} from "./best-match.ts";
export { CLOSE_TURNS, closenessOf } from "./closeness.ts";
export { type Excerpt, type ExcerptPiece, excerptOf } from "./excerpt.ts";
export {
  columnsOf,
  phrasesIn,
  shownPhrases,
  toExpression,
  toExpressions,
  toFormExpression,
  toFormExpressions,
} from "./expression.ts";
export { filtersSessions, filtersTurns, isOfSession, isOfTurn, toTurnCondition } from "./filters.ts";
export { firstMatch, hasMatch, masked, withoutGlobal } from "./passages.ts";
export { type ParseOptions, parseQuery } from "./query.ts";
export {
  bm25,
  COLUMN_WEIGHTS,
  greatestRank,
  RANK_SQL,
  rankOf,
  rarityOf,
  shareOfPiece,
  type TurnStatistics,
  WEIGHTS,
} from "./ranking.ts";
export {
  bestFirst,
  eachConversationOnce,
  mayBeBest,
  type SearchResult,
  type SearchResults,
  type TurnHit,
} from "./results.ts";
export { type Phrase, quotedIn, ROLES, type Role, type SearchQuery } from "./search-query.ts";
export { voicesOf } from "./voices.ts";
