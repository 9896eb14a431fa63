/**
 * `continuo chat`: one turn with an agent.
 *
 * Promises: standard output contains only the answer, as plain text if it is not a terminal; with `--json` it
 * contains one event per line, the last of them the result; the exit code reports how the turn ended.
 * Does not know: how a conversation is opened, or how a turn is drawn.
 */

export { addChatCommand } from "./commands.ts";
