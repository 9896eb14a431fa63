/**
 * Continuo's entry in the file in which an agent keeps its MCP servers. Pure, except that it checks which file exists.
 */

import { type AgentName, ContinuoError } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { agentOf, type McpServers, type ServerCommand } from "@continuo/native";
import type { Edit } from "./edit.ts";
import { placeInJson } from "./json-file.ts";
import type { Piece } from "./plan.ts";
import { tableInToml } from "./toml-file.ts";

export interface Registration {
  readonly agent: AgentName;
  readonly path: string;
  /** Returns `null` if the server is already registered. Errors: `invalid`, `conflict` if another one has the name. */
  add(text: string, server: ServerCommand): Edit | null;
  /** Returns `null` if the server is not registered. Errors: as `add`. */
  remove(text: string): Edit | null;
}

const SERVER_NAME = "continuo";

/** Errors: `unsupported` for an agent that has no place for MCP servers. */
export function registrationOf(agent: AgentName, places: Places): Registration {
  const servers = agentOf(agent).mcpServers;
  if (servers === null) throw new ContinuoError("unsupported", `${agent} has no place for MCP servers`);
  const of = { agent, path: servers.path(places) };
  return servers.language === "toml" ? tomlRegistration(of, servers) : jsonRegistration(of, servers);
}

export interface RegistrationTarget {
  readonly places: Places;
  readonly server: ServerCommand;
}

/** Errors: as `registrationOf`. */
export function serverPiece(agent: AgentName, { places, server }: RegistrationTarget): Piece {
  const { path, add, remove } = registrationOf(agent, places);
  return { agents: [agent], what: "MCP server", path, add: (text) => add(text, server), remove };
}

type Owner = Pick<Registration, "agent" | "path">;

function jsonRegistration(of: Owner, { group, entry }: McpServers): Registration {
  return {
    ...of,
    add(text, server) {
      const place = placeInJson(text, [group, SERVER_NAME]);
      const value = entry(server);
      if (place.text !== null && isSame(place.text, value)) return null;
      if (place.text !== null) assertOurs(place.text);
      return place.set(value);
    },
    remove(text) {
      const place = placeInJson(text, [group, SERVER_NAME]);
      if (place.text !== null) assertOurs(place.text);
      return place.remove();
    },
  };
}

function isSame(text: string, value: object): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}

function tomlRegistration(of: Owner, { group }: McpServers): Registration {
  const table = (text: string): ReturnType<typeof tableInToml> => tableInToml(text, [group, SERVER_NAME]);
  return {
    ...of,
    add(text, server) {
      const place = table(text);
      const lines = tomlLines(`${group}.${SERVER_NAME}`, server);
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

/** A JSON string is also a TOML string. */
function tomlLines(table: string, { command, args, env }: ServerCommand): string[] {
  const text = (value: string): string => JSON.stringify(value).replaceAll("\u007f", "\\u007f");
  const variables = Object.entries(env).map(([name, value]) => `${name} = ${text(value)}`);
  return [
    `[${table}]`,
    `command = ${text(command)}`,
    `args = [${args.map(text).join(", ")}]`,
    ...(variables.length === 0 ? [] : ["", `[${table}.env]`, ...variables]),
  ];
}

/** An entry that starts `… continuo … mcp` counts as Continuo's, whatever its path. Errors: `conflict`. */
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
