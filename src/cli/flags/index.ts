/**
 * Flags and help texts that several commands share, and the options that `chat`, `repl` and `agent` make from them.
 *
 * Promises: loads only descriptions; the store is loaded when it is first needed.
 * Does not know: how a turn is shown, and how the name of a session is looked up.
 */

export { conversationOf } from "./conversation-options.ts";
export { addTalkOptions, ID_HELP, parseTime } from "./descriptions.ts";
export { type TypedTalkFlags, withSession } from "./typed-session.ts";
