/**
 * Histories of sessions of any length: read once, kept outside of memory, and answered in windows.
 *
 * Promises: the end of a long session is available before the rest was read; of a history that grew only the new part is
 * read, and one that was rewritten is read as a whole; every answer is bounded.
 * Does not know: keys, rows, who asks.
 */

export { branchesOf } from "./branches.ts";
export { createHistories, type Histories, type HistoryRequest, nameOf, type Read } from "./histories.ts";
export type { CompleteHistory } from "./history-reader.ts";
