/** The MCP server of `continuo serve`: loaded with the first request. */

import type { McpHttpService } from "@continuo/server/mcp";
import type { Shell } from "../terminal/index.ts";
import { toolContextOf } from "./tool-context.ts";

export function mcpService(shell: Shell): McpHttpService {
  let service: Promise<McpHttpService> | null = null;
  const load = async (): Promise<McpHttpService> => {
    const { createMcpService } = await import("@continuo/server/mcp");
    return createMcpService(toolContextOf(shell, "remote"));
  };
  return {
    async fetch(request) {
      service ??= load();
      return await (await service).fetch(request);
    },
    close: async () => await (await service)?.close(),
  };
}
