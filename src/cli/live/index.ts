/**
 * `continuo live`: a demonstration of continuous sessions; their list, verification, repair and export on a server.
 *
 * Promises: text from others cannot control the terminal.
 * Does not know: the store; everything goes through a server, for the demonstration one of its own.
 */

export { addLiveCommands } from "./commands.ts";
