/**
 * `continuo search`, `open` and `index`: finds turns in every session, shows one of them, and keeps the index.
 *
 * Promises: a result is in the present form of its session; what is not indexed yet is reported; content of sessions
 * reaches the terminal only as visible text; a number names a result of this terminal's last search.
 * Does not know: the query language, ranking, or how text is stored.
 */

export { addIndexCommands, addOpenCommand, addSearchCommand } from "./commands.ts";
export { patternsWork, searchWork } from "./work.ts";
