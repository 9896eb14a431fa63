/**
 * Histories of sessions of any length: read once, kept outside of memory, and answered in windows.
 *
 * Promises: the end of a long session is there before the rest was read; a history that grew is read on, one that was
 * written anew is read anew; every answer is bounded.
 * Does not know: keys, rows, who asks.
 */

export { branchesOf } from "./branches.ts";
export { createHistories, type Histories, type HistoryRequest, nameOf, type Read } from "./histories.ts";
export type { KeptHistory } from "./kept.ts";
export { HISTORY_LIMITS } from "./limits.ts";
export { changedFiles, changesOfFile, type OutlineQuery, outlineOf } from "./outline.ts";
export type { Whole } from "./reading.ts";
export { SHOWN_IMAGES, toShownMessage } from "./shown.ts";
export {
  indexOf,
  positionOf,
  tipWindow,
  type WindowQuery,
  windowMessageAt,
  windowOf,
} from "./window.ts";
