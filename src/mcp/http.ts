/** The server over HTTP, for 2026-07-28 and, without sessions, for older clients. */

import { createMcpHandler } from "@modelcontextprotocol/server";
import { MCP_LIMITS } from "./limits.ts";
import type { Machine } from "./machine.ts";
import { createMcpServer } from "./server.ts";

export interface McpHttpService {
  /** Who asks was checked before. */
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

export function createMcpService(machine: Machine): McpHttpService {
  const { fetch, close } = createMcpHandler(() => createMcpServer(machine), {
    maxRequestBodySize: MCP_LIMITS.bodyBytes,
    maxSubscriptions: MCP_LIMITS.subscriptions,
  });
  return { fetch: (request) => fetch(request), close };
}
