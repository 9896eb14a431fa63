/**
 * `continuo live`: a demonstration of continuous sessions; their list, verification, repair and export on a server.
 *
 * Promises: text from others cannot control the terminal.
 * Does not know: the store; everything goes through a server, which the demonstration starts itself.
 */

export { addLiveCommands } from "./commands.ts";
