/**
 * `continuo repl`: a conversation, turn by turn, with commands beside it.
 *
 * Promises: Ctrl-C cancels the turn, a second one leaves; whichever way it is left, the terminal is as it was and
 * no agent's program stays behind; works on lines of a pipe too; what a person typed is kept for them alone, and
 * bounded. Does not know: how a conversation is opened or kept, or a turn drawn.
 */

export { addReplCommand } from "./commands.ts";
export { replWork } from "./work.ts";
