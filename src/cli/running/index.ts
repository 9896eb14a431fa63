/**
 * Commands that a running process answers: `serve`, `view` and `mcp` have loaded and compiled everything that a list and a
 * search need, and run them for a command that is typed elsewhere, which only prints what came back.
 *
 * Promises: what is printed is what the command would have printed itself, since the same code runs with the same
 * environment, or the command does it itself; only processes of the same user and the same build are asked; nobody waits long
 * for one that does not answer.
 * Does not know: what a list or a search is.
 */

export { answerCommands, answeredElsewhere } from "./running.ts";
