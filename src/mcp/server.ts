/** The server of one connection or one request: the tools, and their descriptions for the client. */

import { McpServer } from "@modelcontextprotocol/server";
import { readVersion } from "../files/index.ts";
import { isContinuoError } from "../model/index.ts";
import { visibleText } from "../transcript/index.ts";
import { digestTool } from "./digest-tool.ts";
import { grepTool } from "./grep-tool.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { MCP_LIMITS } from "./limits.ts";
import type { Machine } from "./machine.ts";
import { readTool } from "./read-tool.ts";
import { recallTool } from "./recall-tool.ts";
import { searchTool } from "./search-tool.ts";
import type { Tool } from "./tool.ts";

/** In the order in which clients see them. */
const TOOLS: readonly Tool[] = [searchTool, grepTool, readTool, digestTool, recallTool];

/** The tools change only with the version of Continuo. */
const LIST_TTL_MS = 60 * 60 * 1000;

export function createMcpServer(machine: Machine): McpServer {
  const cached = { ttlMs: LIST_TTL_MS, cacheScope: "public" } as const;
  const server = new McpServer(
    { name: "continuo", title: "Continuo", version: readVersion() },
    {
      instructions: INSTRUCTIONS,
      maxToolInputElements: MCP_LIMITS.inputElements,
      cacheHints: { "tools/list": cached, "server/discover": cached },
    },
  );
  for (const tool of TOOLS) register(server, tool, machine);
  return server;
}

function register(server: McpServer, tool: Tool, machine: Machine): void {
  const { name, title, description, input, output } = tool;
  server.registerTool(
    name,
    {
      ...{ title, description, inputSchema: input, outputSchema: output },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    async (args, { mcpReq }) => {
      try {
        const { text, data } = await tool.call(args, machine, mcpReq.signal);
        return { content: [{ type: "text", text }], structuredContent: data };
      } catch (error) {
        if (!isContinuoError(error)) throw error;
        const text = `${error.code}: ${error.message}${error.hint === undefined ? "" : `\n${error.hint}`}`;
        return { isError: true, content: [{ type: "text", text: visibleText(text) }] };
      }
    },
  );
}
