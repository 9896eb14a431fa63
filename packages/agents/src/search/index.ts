/**
 * The search: a query as people type it, and the turns of all sessions that match, ranked.
 *
 * Promises: a result is in the session as it is now; words match as the index splits them, in every script; what a
 * person types is never syntax of the database; equal input gives the same order.
 * Does not know: the places of sessions, when the index is filled, or how results are shown.
 */

export {
  type CommandUses,
  type CommandWay,
  type FoundRepair,
  findCommandUses,
  findRepairs,
  type Repairs,
} from "./experience.ts";
export { type FileOriginsOptions, type Origins, openOrigins } from "./file-origins.ts";
export { ORIGIN_LIMITS, readFileLines } from "./origins/index.ts";
export type {
  BestMatch,
  Excerpt,
  ExcerptPiece,
  SearchResult,
  SearchResults,
  TurnHit,
} from "./query/index.ts";
export {
  type ParseOptions,
  type Phrase,
  parseQuery,
  ROLES,
  type Role,
  type SearchQuery,
  toBestMatch,
} from "./query/index.ts";
export { type IndexResults, type PickSessions, type SearchOptions, search } from "./search.ts";
export {
  type SearchProgress,
  type SessionSearchOptions,
  type SessionSearchResults,
  searchSessions,
} from "./session-search.ts";
