/**
 * `continuo chat`: one turn, from the command line to an agent and back.
 *
 * Promises: standard output is the answer and nothing else, plain where it is no terminal; with `--json` events,
 * one a line, the last one the result; the exit code says how the turn ended.
 * Does not know: how a conversation is opened, or a turn drawn.
 */

export { addChatCommand } from "./commands.ts";
