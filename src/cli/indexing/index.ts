/**
 * Indexing in the background: a process of low priority that a command leaves behind, so that the next search is fast.
 *
 * Promises: at most one process for each `CONTINUO_HOME`, which ends by itself; none in CI, none if the settings turn
 * it off, and none for so few sessions that a search indexes them itself; a command that starts the process does not
 * wait for it.
 * Does not know: how text is indexed.
 */

export { keepGuarded, keepIndexed } from "./background-indexing.ts";
export { isIndexing, runIndexingWork } from "./process.ts";
export { startIndexing, startIndexingOf } from "./start.ts";
