/**
 * `continuo repl`: a conversation, turn by turn, with slash commands.
 *
 * Promises: Ctrl-C cancels the turn, a second one leaves; however the user leaves, the terminal is restored and the
 * agent's program has ended; lines from a pipe work too; the input history is private and bounded.
 * Does not know: how a conversation is opened or stored, or how a turn is drawn.
 */

export { addReplCommand } from "./commands.ts";
export { replWork } from "./work.ts";
