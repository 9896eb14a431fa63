/** The MCP server in this process, over two streams, for the home of a test. */

import { PassThrough } from "node:stream";
import { type QuestionChannels, serveMcpOnStdio } from "@continuo/server/mcp";
import { toolContextOf } from "../../src/cli/mcp/tool-context.ts";
import type { Shell } from "../../src/cli/terminal/index.ts";
import { cleanEnv, type Home } from "../cli/home.ts";
import { createWireClient, ENVELOPE, type Reply, type WireClient } from "./wire-client.ts";

export interface OpenMcp extends AsyncDisposable {
  readonly client: WireClient;
  /** Calls a tool by revision 2026-07-28. */
  call(name: string, args: object): Promise<ToolAnswer>;
}

export interface ToolAnswer {
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it.
  readonly data: any;
  readonly isError: boolean;
}

export interface OpenOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly asking?: QuestionChannels | null;
}

export function openMcp(
  home: Pick<Home, "path">,
  { env = {}, cwd, asking = null }: OpenOptions = {},
): OpenMcp {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const stopped = new AbortController();
  const shell = { home: home.path, env: { ...cleanEnv(home.path), ...env }, cwd: cwd ?? home.path };
  const reported: string[] = [];
  const ended = serveMcpOnStdio({
    context: toolContextOf(shell as Shell, "here", asking),
    input,
    output,
    signal: stopped.signal,
    report: (line) => reported.push(line),
  });
  const client = createWireClient(input, output);
  return {
    client,
    async call(name, args) {
      return toCalled(await client.request("tools/call", { name, arguments: args, ...ENVELOPE }));
    },
    async [Symbol.asyncDispose]() {
      stopped.abort();
      await ended;
      if (reported.length > 0) throw new Error(reported.join("\n"));
    },
  };
}

/** Throws if the answer is an error of the protocol. */
export function toCalled({ error, result }: Reply): ToolAnswer {
  if (error !== undefined) throw new Error(JSON.stringify(error));
  const { content, structuredContent, isError = false } = result;
  return {
    text: content.map(({ text }: { text: string }) => text).join("\n"),
    data: structuredContent,
    isError,
  };
}
