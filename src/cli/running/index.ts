/**
 * Commands that a running process answers: `serve`, `view` and `mcp` have already loaded and compiled everything that a
 * list and a search need, and run them for a command that is typed elsewhere, which only prints the result.
 *
 * Promises: the output is what the command itself would have printed, because the same code runs with the same
 * environment, or the command does the work itself; only processes of the same user and the same build are asked; a
 * process that does not answer delays nobody for long.
 * Does not know: what a list or a search is.
 */

export { answerCommands, answeredElsewhere } from "./running.ts";
