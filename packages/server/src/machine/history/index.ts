/**
 * Histories of sessions of any length: read once, kept outside of memory, and answered in windows.
 *
 * Promises: the end of a long session is available before the rest is read; if a history grew, only the new part is
 * read, and if it was rewritten, all of it; every answer is bounded.
 * Does not know: keys, rows, who may ask.
 */

export { branchesOf } from "./branches.ts";
export {
  createHistories,
  type Histories,
  type HistoryRequest,
  nameOf,
  type UseHistory,
} from "./histories.ts";
export type { CompleteHistory } from "./history-reader.ts";
