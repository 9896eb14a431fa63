/**
 * Shell completion: a script for each shell, and the hidden command that the scripts ask.
 *
 * Promises: what is offered follows from the tree of commands; only ids that a shell takes literally are
 * offered; titles are shown beside them and never inserted; what fails offers nothing.
 * Does not know: what any command does.
 */

export { addCompletionCommands } from "./commands.ts";
