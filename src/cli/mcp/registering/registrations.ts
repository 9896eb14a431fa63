/** The file in which each agent keeps its MCP servers, and the form of an entry. Pure, except that it looks which file exists. */

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type AgentName, ContinuoError } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { agentOf, type McpServers } from "@continuo/native";
import type { Edit } from "./edit.ts";
import { placeInJson } from "./json-file.ts";
import { tableInToml } from "./toml-file.ts";

/** The command that starts the server. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Registration {
  readonly agent: AgentName;
  readonly path: string;
  /** Errors: `invalid`, `conflict` where another server has the name. `null` where it is registered already. */
  add(text: string, server: ServerCommand): Edit | null;
  /** Errors: as `add`. `null` where it is not registered. */
  remove(text: string): Edit | null;
}

export const SERVER_NAME = "continuo";

export function registrationOf(agent: AgentName, places: Places): Registration {
  const path = settingsPath(agent, places);
  return agent === "codex" ? tomlRegistration(path) : jsonRegistration(agent, path);
}

/** Only user settings: a project's configuration belongs to the project. */
function settingsPath(agent: AgentName, { env, home }: Places): string {
  const below = (name: string, byDefault: string): string => {
    const moved = env[name];
    return moved === undefined || moved === "" ? join(home, byDefault) : resolve(moved);
  };
  switch (agent) {
    case "claude":
      return env.CLAUDE_CONFIG_DIR
        ? join(resolve(env.CLAUDE_CONFIG_DIR), ".claude.json")
        : join(home, ".claude.json");
    case "codex":
      return join(below("CODEX_HOME", ".codex"), "config.toml");
    case "gemini":
      return join(below("GEMINI_CLI_HOME", "."), ".gemini/settings.json");
    case "pi":
      return join(below("PI_CODING_AGENT_DIR", ".pi/agent"), "mcp.json");
    case "opencode": {
      const folder = join(below("XDG_CONFIG_HOME", ".config"), "opencode");
      const commented = join(folder, "opencode.jsonc");
      return existsSync(commented) ? commented : join(folder, "opencode.json");
    }
    default:
      return serversOf(agent).path({ env, home });
  }
}

/** Other agents bring their own place for servers. Errors: `unsupported` for one that has none. */
function serversOf(agent: AgentName): McpServers {
  const servers = agentOf(agent).mcpServers;
  if (servers !== undefined) return servers;
  throw new ContinuoError("unsupported", `${agent} has no place for MCP servers`);
}

const GROUPS: Readonly<Partial<Record<AgentName, string>>> = {
  claude: "mcpServers",
  gemini: "mcpServers",
  pi: "mcpServers",
  opencode: "mcp",
};

function jsonRegistration(agent: Exclude<AgentName, "codex">, path: string): Registration {
  return {
    agent,
    path,
    add(text, server) {
      const place = placeInJson(text, groupOf(agent), SERVER_NAME);
      const value = valueFor(agent, server);
      if (place.text !== null && isSame(place.text, value)) return null;
      if (place.text !== null) assertOurs(place.text);
      return place.set(value);
    },
    remove(text) {
      const place = placeInJson(text, groupOf(agent), SERVER_NAME);
      if (place.text !== null) assertOurs(place.text);
      return place.remove();
    },
  };
}

function groupOf(agent: AgentName): string {
  return GROUPS[agent] ?? serversOf(agent).group;
}

function valueFor(agent: AgentName, { command, args, env }: ServerCommand): object {
  const hasEnv = Object.keys(env).length > 0;
  if (agent === "opencode") {
    return {
      type: "local",
      command: [command, ...args],
      ...(hasEnv ? { environment: env } : {}),
      enabled: true,
    };
  }
  const own = agent === "claude" ? { type: "stdio" } : (agentOf(agent).mcpServers?.entry ?? {});
  // The default of pi shows no tool of a server to the model.
  const exposure = agent === "pi" ? { exposure: "direct" } : {};
  return { ...own, command, args, ...(hasEnv ? { env } : {}), ...exposure };
}

function isSame(text: string, value: object): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}

function tomlRegistration(path: string): Registration {
  const table = (text: string): ReturnType<typeof tableInToml> =>
    tableInToml(text, ["mcp_servers", SERVER_NAME]);
  return {
    agent: "codex",
    path,
    add(text, server) {
      const place = table(text);
      const lines = tomlLines(server);
      if (place.text !== null && place.text.replaceAll("\r\n", "\n").trim() === lines.join("\n")) return null;
      if (place.text !== null) assertOurs(place.text);
      return place.set(lines);
    },
    remove(text) {
      const place = table(text);
      if (place.text !== null) assertOurs(place.text);
      return place.remove();
    },
  };
}

/** A string of JSON is a string of TOML. */
function tomlLines({ command, args, env }: ServerCommand): string[] {
  const text = (value: string): string => JSON.stringify(value).replaceAll("\u007f", "\\u007f");
  const variables = Object.entries(env).map(([name, value]) => `${name} = ${text(value)}`);
  return [
    `[mcp_servers.${SERVER_NAME}]`,
    `command = ${text(command)}`,
    `args = [${args.map(text).join(", ")}]`,
    ...(variables.length === 0 ? [] : ["", `[mcp_servers.${SERVER_NAME}.env]`, ...variables]),
  ];
}

/** An entry that starts `… continuo … mcp` is one of ours, by whatever path. Errors: `conflict`. */
function assertOurs(text: string): void {
  const words = [...text.matchAll(/"((?:[^"\\\n]|\\.)*)"/gu)].map(([, word = ""]) => word);
  const at = words.lastIndexOf("mcp");
  const isStarted = words
    .slice(0, at)
    .some((word) => /(?:^|[\\/])(?:continuo(?:\.[cm]?js)?|main\.[cm]?[jt]s)$/u.test(word));
  if (at > 0 && isStarted) return;
  throw new ContinuoError("conflict", `another MCP server is registered as ${SERVER_NAME}`, {
    hint: "Rename that entry or delete it by hand.",
  });
}
