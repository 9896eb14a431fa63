/**
 * The MCP server: tools with which agents ask about the sessions of this machine and, if a person allows it, ask each other.
 *
 * Promises: the tools change nothing, except that `ask` puts a question into a channel; an answer is no longer than its caller
 * asked for; text of a session is quoted, so that it cannot end the quote, and secrets of known forms in it are masked; equal
 * questions about equal sessions have equal answers.
 * Does not know: how a connection is opened, any agent's configuration, how text is indexed.
 */

export { createMcpService, type McpHttpService } from "./server.ts";
export { type StdioOptions, serveMcpOnStdio } from "./stdio.ts";
export type { QuestionChannels, QuestionMessage, ToolContext } from "./tool-context.ts";
