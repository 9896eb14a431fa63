/**
 * `continuo mcp`, `mcp install` and `mcp uninstall`: serves the memory of all sessions to agents.
 *
 * Promises: standard output of the server contains only the protocol; only the server loads the package of the
 * protocol; no file of an agent changes before the change was shown and the person agreed.
 * Does not know: what a tool answers.
 */

export { addMcpCommands } from "./commands.ts";
export { mcpService } from "./service.ts";
