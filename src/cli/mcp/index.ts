/**
 * `continuo mcp`: serves the memory of all sessions to agents.
 *
 * Promises: standard output is the protocol's; the protocol's package is loaded by this command only.
 * Does not know: what a tool answers.
 */

export { addMcpCommands } from "./commands.ts";
