/** The MCP server of `continuo serve`: loaded with the first request. */

import { once } from "@continuo/core/model";
import type { McpHttpService } from "@continuo/server/mcp";
import type { Shell } from "../terminal/index.ts";
import { toolContextOf } from "./tool-context.ts";

export function mcpService(shell: Shell): McpHttpService {
  const service = once<McpHttpService>(async () => {
    const { createMcpService } = await import("@continuo/server/mcp");
    return createMcpService(toolContextOf(shell, "remote"));
  });
  return {
    fetch: async (request) => await (await service.get()).fetch(request),
    close: async () => await (await service.begun())?.close(),
  };
}
