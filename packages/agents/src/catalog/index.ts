/**
 * The catalog: every session of a user, native or Continuo's own: one list, one look-up, one way to open.
 *
 * Promises: a conversation with both a native and an own session is one row, that of the own session; every command
 * finds a session by the same names, with the same errors; edits of killed processes are settled before a read; a list
 * that fails is reported together with the other lists; the store is loaded only if it exists, and is never created;
 * only `own-changes.ts` changes it.
 * Does not know: how a list or a session is shown, how a run is executed, what the configuration says.
 */

export {
  type AgentSessionList,
  isListedOnlyByAgent,
  type ListAgentSessionsOptions,
  listAgentSessions,
  type ReportedSession,
} from "./agent-lists.ts";
export {
  type ListSessionsOfAgent,
  type ResumeOptions,
  type SessionsOfAgent,
  type SessionsOptions,
  sessionsOfAgent,
} from "./agent-sessions.ts";
export { setArchived } from "./archive.ts";
export { type CallingSession, type CallingSessionOptions, findCallingSession } from "./calling-session.ts";
export { type CheckedSession, checkOwn } from "./check.ts";
export { examplePlaces, foldersLookedInto, rowsOf } from "./examples.ts";
export { excludes } from "./exclude-patterns.ts";
export {
  createShownMessages,
  type FollowItem,
  type FollowOptions,
  follow,
  noteShown,
  type ShownMessages,
} from "./follow.ts";
export type { CatalogSource, IndexedSession, ReadySession } from "./indexed-session.ts";
export { type LastSession, lastSession } from "./last-session.ts";
export {
  type CatalogList,
  type CatalogSources,
  type ListQuery,
  listCatalog,
  openReadable,
  renewRows,
  type StoreOrError,
} from "./list.ts";
export { folderFilter, hasNoUserMessage, projectFilter, type RowOrder } from "./list-filter.ts";
export {
  type AgentListOptions,
  isSubagentPlace,
  type LocatedSession,
  type LookUpHit,
  type LookUpOptions,
  locateNative,
  locateRow,
  lookUp,
  type ResolvedSession,
  rowsByIdPrefix,
} from "./look-up.ts";
export {
  type MarkedSession,
  type MarkOptions,
  type MarkTable,
  markMoved,
  markSession,
  movedToOf,
  readMarks,
  refuseMoved,
  toTag,
} from "./marks.ts";
export { findMovedProjects, type MovedProject, type MovedProjectsOptions } from "./moved-projects.ts";
export { earlierNames, ownerOf, ownersByName } from "./moves.ts";
export {
  type CatalogDetails,
  type CatalogSession,
  cutOffBy,
  firstMessagesOf,
  messageCounts,
  modelViewOf,
  openCatalogSession,
  toCatalogSession,
} from "./open-session.ts";
export { deleteInRounds, deleteOwn, forkOwn, type OwnFork, renameOwn } from "./own-changes.ts";
export {
  emptyOwnTrash,
  openTrashedOwn,
  restoreNamed,
  restoreOwn,
  trashedOwn,
  trashOwn,
} from "./own-trash.ts";
export { readPriceList, type SavedPrices, savePriceList } from "./price-file.ts";
export {
  type Cost,
  costOf,
  type ModelUsage,
  type Price,
  type PriceList,
  type PriceMap,
  type Prices,
  priceOf,
  shippedPrices,
  tokensOf,
} from "./prices.ts";
export { noteProjects } from "./project-marks.ts";
export { type ResumePrice, type ResumePriceOptions, resumePriceOf } from "./resume-price.ts";
export { type RowKnowledge, rowKnowledgeOf } from "./row-facts.ts";
export {
  type IndexedRow,
  openRowIndex,
  type RowFigures,
  type RowIndex,
  readIndexedRows,
  readRowFigures,
  withSource,
} from "./row-index.ts";
export {
  forkOriginOf,
  isOwn,
  isSame,
  type ListedSession,
  type NativeName,
  nameOf,
  nativeKey,
  OWN,
  type OwnRow,
  presentRefOf,
  type TrashedOwn,
  toOwnRow,
} from "./rows.ts";
export {
  type SessionUsage,
  type UsageOptions,
  type UsageReport,
  usageOfAll,
} from "./stats.ts";
export {
  commandPrincipal,
  listOwn,
  type OpenOwn,
  openOwn,
  openOwnAgain,
  ownSessionContinuedIn,
  pathOfUrl,
  readOwn,
  storeUrlOf,
} from "./store.ts";
export {
  type OpenTexts,
  openTexts,
  type Texts,
  type TextsOptions,
  type TextsProgress,
  textsState,
  updateTexts,
} from "./texts.ts";
export { createKeptTexts, type KeptTexts } from "./texts-cache.ts";
export {
  filterTexts,
  hasLines,
  type ScannedText,
  type SessionLines,
  scanText,
  type TextScanOptions,
  toScanned,
  useLines,
} from "./texts-scan.ts";
export { openTrashed, TRASHED, type TrashedSources } from "./texts-trash.ts";
export { filesOfCall, type SessionTurn, sessionTurns } from "./turns.ts";
export { findLeftOut, type LeftOutQuery, type LeftOutSession } from "./unlisted-sessions.ts";
export { type UsageBucket, usageOf } from "./usage.ts";
