/**
 * Indexing in the background: a process of low priority that a command leaves behind, so that the next search is fast.
 *
 * Promises: at most one process runs for each `CONTINUO_HOME`, and it ends by itself; none runs in CI, if the settings
 * turn it off, or for so few sessions that a search indexes them itself; a command that starts the process does not
 * wait for it.
 * Does not know: how text is indexed.
 */

export { keepGuarded, keepIndexed } from "./background-indexing.ts";
export { isIndexing, runIndexingWork } from "./process.ts";
export { startIndexing, startIndexingOf } from "./start.ts";
