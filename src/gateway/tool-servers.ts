/** The editor's MCP servers as tool servers of a conversation. Pure. */

import type { McpServer } from "@agentclientprotocol/sdk/unstable";
import type { ToolServer } from "@continuo/core/model";

export interface EditorServers {
  readonly toolServers: readonly ToolServer[];
  /** Names of servers of a kind that no agent accepts from Continuo, such as those that run inside of the editor. */
  readonly unknown: readonly string[];
}

export function toToolServers(servers: readonly McpServer[]): EditorServers {
  const toolServers: ToolServer[] = [];
  const unknown: string[] = [];
  for (const server of servers) {
    const known = toToolServer(server);
    if (known === null) unknown.push(server.name);
    else toolServers.push(known);
  }
  return { toolServers, unknown };
}

function toToolServer(server: McpServer): ToolServer | null {
  const { name } = server;
  if ("url" in server && (server.type === "http" || server.type === "sse")) {
    return { name, type: server.type, url: server.url, headers: toRecord(server.headers) };
  }
  if (!("command" in server)) return null;
  return { name, command: server.command, args: server.args, env: toRecord(server.env) };
}

function toRecord(
  pairs: readonly { readonly name: string; readonly value: string }[],
): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
