/**
 * Continuing a session from pages: any agent, the same conversations as `chat` and `repl`.
 *
 * Promises: a prompt is stored when it is answered with its run, and survives a crash; every page receives the same
 * turn from its beginning, whenever it connects; only the first answer to a question counts; a session that is open in
 * its own agent is not written to.
 * Does not know: HTTP, who may ask, how anything is drawn.
 */

export { type Changes, createChanges, withChanges } from "./changes.ts";
export { type Chat, createChat } from "./chat.ts";
export { foldRuns, RUN_EVENT_TYPES } from "./runs.ts";
