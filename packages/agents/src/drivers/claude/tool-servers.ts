/**
 * Tool servers for Claude Code: the content of a file for `--mcp-config`. The values are not in the arguments, which every
 * user of a machine can read, and not in the environment, which the agent's own commands can print. Pure. Seen in
 * 2.1.332.
 */

import type { ToolServer } from "@continuo/core/model";

export function toServerFile(servers: readonly ToolServer[]): string {
  const mcpServers = Object.fromEntries(
    servers.map((server) => [
      server.name,
      "url" in server
        ? { type: server.type, url: literal(server.url), headers: literals(server.headers) }
        : { command: literal(server.command), args: server.args.map(literal), env: literals(server.env) },
    ]),
  );
  return JSON.stringify({ mcpServers });
}

function literals(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, literal(value)]));
}

/**
 * Claude Code replaces `${NAME:-TEXT}` once, by TEXT if there is no such variable. It has no other way to write a
 * dollar sign before a brace.
 */
function literal(value: string): string {
  return value.replaceAll(/\$\{/gu, () => `\${CONTINUO_NO_VARIABLE:-$}{`);
}
