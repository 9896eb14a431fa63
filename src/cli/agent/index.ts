/**
 * `continuo agent`: lets agents of this machine answer in channels of a server.
 *
 * Promises: an input is answered once, wherever this process dies; the server is reached only over HTTP and
 * WebSocket.
 * Does not know: the server's store, or the protocol of any agent.
 */

export { addAgentCommands } from "./commands.ts";
