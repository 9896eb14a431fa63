/**
 * `continuo channel`: reads and writes channels of a server from a terminal.
 *
 * Promises: text from others cannot control the terminal; the token of the server on this machine goes to no other
 * server.
 * Does not know: the store; everything goes through the server.
 */

export { addChannelCommands, addressOptions, openAsking, serverOptions } from "./commands.ts";
export type { ServerFlags } from "./flags.ts";
export { accessOf, callServer, channelPath, type ServerAccess, strangeAnswer } from "./server.ts";
