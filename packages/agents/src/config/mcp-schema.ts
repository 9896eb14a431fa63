/** The key `mcp` of `continuo.yaml`, and the content of a file that `--mcp` names: MCP servers by name. */

import { z } from "zod";

const SERVER_NAME = /^[A-Za-z0-9_-]{1,64}$/u;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/u;
export const VARIABLE_NAME: RegExp = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/u;
const MAX_SERVERS = 50;
const MAX_VALUES = 100;
export const MAX_TEXT_CHARS = 10_000;
const MAX_ASKED_CHANNELS = 20;
const MAX_NAME_CHARS = 200;

/** A server as others write it too: a program, or an address with its type. */
export interface FileMcpServer {
  readonly type?: "stdio" | "http" | "sse" | undefined;
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export type FileMcpServers = Readonly<Record<string, FileMcpServer>>;

export interface FileMcp {
  readonly ask?: readonly string[] | undefined;
  readonly servers?: FileMcpServers | undefined;
}

/** The content of `.mcp.json`. */
export interface McpFile {
  readonly mcpServers: FileMcpServers;
}

const text = z.string().max(MAX_TEXT_CHARS);

const valuesBy = (name: RegExp) =>
  z
    .record(z.string().regex(name), text)
    .refine((values) => Object.keys(values).length <= MAX_VALUES, `at most ${MAX_VALUES} names`);

const server = z
  .strictObject({
    type: z
      .enum(["stdio", "http", "sse"])
      .optional()
      .describe("stdio: a program (default with a command); http or sse: an address."),
    command: text.min(1).optional().describe("The program: a name on the search path, or a path."),
    args: z.array(text).max(MAX_VALUES).optional().describe("The arguments of the program."),
    env: valuesBy(VARIABLE_NAME).optional().describe("Variables that are added to its environment."),
    url: text.min(1).optional().describe("The address of the server."),
    headers: valuesBy(HEADER_NAME).optional().describe("Headers of each request."),
  })
  .superRefine((value, context) => {
    const fault = faultOf(value);
    if (fault !== null) context.addIssue({ code: "custom", ...fault });
  });

interface ServerFault {
  readonly path: string[];
  readonly message: string;
}

/** Returns what makes a server neither a program nor an address; `null` if it is one of them. */
function faultOf({ type, command, args, env, url, headers }: FileMcpServer): ServerFault | null {
  if (command !== undefined && url !== undefined)
    return { path: [], message: "it has a command and a url: name only one" };
  if (command === undefined && url === undefined)
    return { path: [], message: "it needs a command, or a type (http or sse) and a url" };
  if (url !== undefined) {
    if (type !== "http" && type !== "sse")
      return { path: ["url"], message: "a server with a url needs the type http or sse" };
    const wrong = args !== undefined ? "args" : env !== undefined ? "env" : null;
    return wrong === null ? null : { path: [wrong], message: "only a server with a command can have it" };
  }
  if (type === "http" || type === "sse")
    return { path: ["type"], message: `a server with a command cannot have the type ${type}` };
  return headers === undefined
    ? null
    : { path: ["headers"], message: "only a server with a url can have it" };
}

const servers: z.ZodType<FileMcpServers> = z
  .record(z.string().regex(SERVER_NAME), server)
  .refine((named) => Object.keys(named).length <= MAX_SERVERS, `at most ${MAX_SERVERS} servers`);

export const mcp: z.ZodType<FileMcp> = z.strictObject({
  ask: z
    .array(z.string().min(1).max(MAX_NAME_CHARS))
    .max(MAX_ASKED_CHANNELS)
    .optional()
    .describe(
      "Channels in which agents may ask other agents, with the tool `ask` of `continuo mcp`. Default: none.",
    ),
  servers: servers
    .optional()
    .describe(
      `MCP servers that every conversation hands to its agent, by name. \${NAME} in a value is that environment variable, and \${NAME:-TEXT} the text if it is not set.`,
    ),
});

export const MCP_FILE: z.ZodType<McpFile> = z.strictObject({ mcpServers: servers });
