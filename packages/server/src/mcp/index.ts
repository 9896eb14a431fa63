/**
 * The MCP server: what agents ask about the sessions of this machine, as eight tools.
 *
 * Promises: nothing is changed, but a question is asked where a person allowed it; an answer is no longer than its caller asked for; text of a session is quoted, so that
 * it cannot end the quote, and secrets of known forms in it are masked; equal questions about equal sessions have equal answers.
 * Does not know: how a connection is opened, any agent's configuration, how text is indexed.
 */

export type { AskedMessage, Machine, QuestionChannels } from "./machine.ts";
export { createMcpService, type McpHttpService } from "./server.ts";
export { type StdioOptions, serveMcpOnStdio } from "./stdio.ts";
