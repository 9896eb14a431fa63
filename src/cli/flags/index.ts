/**
 * Flags and help that several commands share: those of `chat` and `repl`, and the names of sessions.
 *
 * Promises: loads nothing but the descriptions.
 * Does not know: what the flags do, and how a name is looked up.
 */

export { ID_HELP } from "./id-help.ts";
export { addTalkOptions, parseTime } from "./talk-options.ts";
