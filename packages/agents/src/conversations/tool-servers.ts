/**
 * The MCP servers that a person gives to every agent of a conversation: those of `continuo.yaml` in `CONTINUO_HOME`, and
 * those of a file with the content of `.mcp.json`. Environment variables may stand for keys, so that the files need not
 * contain them.
 */

import { resolve } from "node:path";
import { ContinuoError, type ToolServer } from "@continuo/core/model";
import { entryOf, type PlacesAt } from "@continuo/files";
import {
  assertValid,
  type FileMcpServer,
  type FileMcpServers,
  parseMcpFile,
  readRawFile,
} from "../config/index.ts";

export interface NamedToolServers {
  /** The servers of `continuo.yaml`. */
  readonly configured: FileMcpServers;
  /** The path of a file, relative to the folder of the command. A server of this file replaces one of the same name. */
  readonly file: string | undefined;
  /** The names of servers that the caller gives itself: those of the person are not read, and need no variable. */
  readonly replaced?: ReadonlySet<string>;
}

/**
 * Errors: `not_found` for the file, `invalid` for a file with mistakes, a variable that is not set or an address that is
 * none, `unreadable`, `too_large`.
 */
export function readToolServers(
  { configured, file, replaced }: NamedToolServers,
  places: PlacesAt,
): readonly ToolServer[] {
  const given = file === undefined ? {} : readServerFile(resolve(places.cwd, file));
  return Object.entries({ ...configured, ...given })
    .filter(([name]) => replaced?.has(name) !== true)
    .map(([name, server]) => toToolServer(name, server, places.env));
}

function readServerFile(path: string): FileMcpServers {
  const raw = readRawFile(path, FILE_HINT);
  if (raw === null) throw new ContinuoError("not_found", `there is no file ${path}`, { hint: FILE_HINT });
  const { content, problems } = parseMcpFile(raw.text, path);
  assertValid({ problems, untrusted: null }, SHAPE_HINT);
  return content.mcpServers;
}

const FILE_HINT = "Name a file with the MCP servers, such as .mcp.json.";
const SHAPE_HINT =
  'A server has a command with args and env, or a type ("http" or "sse") and a url with headers: see docs/chat.md.';

type Variables = PlacesAt["env"];

function toToolServer(name: string, server: FileMcpServer, variables: Variables): ToolServer {
  const filled = (value: string): string => withVariables(value, name, variables);
  const filledAll = (values: Readonly<Record<string, string>> = {}): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, filled(value)]));
  const { type, command, args = [], env, url, headers } = server;
  if (url !== undefined && (type === "http" || type === "sse")) {
    return { name, type, url: addressOf(name, filled(url)), headers: filledAll(headers) };
  }
  return { name, command: filled(command ?? ""), args: args.map(filled), env: filledAll(env) };
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/gu;

/** Replaces `${NAME}` and `${NAME:-TEXT}`, as Claude Code does in its own files. */
function withVariables(value: string, server: string, variables: Variables): string {
  return value.replace(VARIABLE, (_, variable: string, other: string | undefined) => {
    const found = entryOf(variables, variable) ?? other;
    if (found !== undefined) return found;
    throw new ContinuoError(
      "invalid",
      `the variable ${variable} is not set, which the MCP server ${server} needs`,
      {
        hint: `Set ${variable}, or give it a default: \${${variable}:-TEXT}.`,
      },
    );
  });
}

/** The address is not in the message, because it may contain a key. */
function addressOf(server: string, url: string): string {
  const { protocol } = URL.canParse(url) ? new URL(url) : { protocol: "" };
  if (protocol === "http:" || protocol === "https:") return url;
  throw new ContinuoError(
    "invalid",
    `the url of the MCP server ${server} is not an address of http or https`,
    {
      hint: "Check the url, and the variables in it.",
    },
  );
}
