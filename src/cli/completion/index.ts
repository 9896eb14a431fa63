/**
 * Shell completion: a script for each shell, and the hidden command that the scripts call.
 *
 * Promises: the offers follow from the tree of commands; only ids that a shell takes literally are offered; titles
 * appear next to them and are never inserted; a failure offers nothing.
 * Does not know: what any command does.
 */

export { addCompletionCommands } from "./commands.ts";
