/**
 * `continuo handoff` and `continuo resume`: a conversation goes on, in its own agent or in another one.
 *
 * Promises: nothing is written before the receipt is made; the command to resume with is an argv, never a line
 * that a shell would split.
 * Does not know: how a session is converted, written or verified.
 */

export { commandLine } from "./command-line.ts";
export { addHandoffCommands } from "./commands.ts";
export { resumeWork } from "./work.ts";
