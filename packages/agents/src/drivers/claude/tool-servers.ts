/**
 * Tool servers for Claude Code: `--mcp-config` with a reference to a variable for each value, and the variables. Every
 * user of a machine can read the arguments of a program, but only its own user can read the variables. Pure. Seen in
 * 2.1.332.
 */

import type { ToolServer } from "@continuo/core/model";

export interface ServerArguments {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export function toServerArguments(servers: readonly ToolServer[]): ServerArguments {
  if (servers.length === 0) return { args: [], env: {} };
  const env: Record<string, string> = {};
  const hide = (value: string): string => {
    const name = `CONTINUO_TOOL_SERVER_${Object.keys(env).length + 1}`;
    env[name] = value;
    return `\${${name}}`;
  };
  const hideAll = (values: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, hide(value)]));
  const mcpServers = Object.fromEntries(
    servers.map((server) => [
      server.name,
      "url" in server
        ? { type: server.type, url: hide(server.url), headers: hideAll(server.headers) }
        : { command: hide(server.command), args: server.args.map(hide), env: hideAll(server.env) },
    ]),
  );
  return { args: ["--mcp-config", JSON.stringify({ mcpServers })], env };
}
