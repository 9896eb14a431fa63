/**
 * `continuo mcp`, `mcp install` and `mcp uninstall`: serves the memory of all sessions to agents.
 *
 * Promises: standard output of the server is the protocol's; the protocol's package is loaded by the server only; no
 * file of an agent changes before the change was shown and agreed to.
 * Does not know: what a tool answers.
 */

export { addMcpCommands } from "./commands.ts";
export { mcpService } from "./service.ts";
