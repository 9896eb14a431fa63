/** The server on standard input and output. */

import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { createMcpServer } from "./server.ts";
import type { ToolContext } from "./tool-context.ts";

export interface StdioOptions {
  readonly context: ToolContext;
  readonly input: Readable;
  readonly output: Writable;
  /** Ends the server. */
  readonly signal: AbortSignal;
  /** Receives a line for each mistake of a client. */
  readonly report: (line: string) => void;
}

/** Resolves when the client is gone, when it sent a message that is too long, or when `signal` is aborted. */
export async function serveMcpOnStdio({
  context,
  input,
  output,
  signal,
  report,
}: StdioOptions): Promise<void> {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  for (const event of ["end", "close", "error"] as const) input.once(event, () => resolve());
  signal.addEventListener("abort", () => resolve(), { once: true });
  const transport = new StdioServerTransport(input, output);
  const handle = serveStdio(() => createMcpServer(context), {
    transport,
    onerror: ({ message }) => report(message),
  });
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    resolve();
  };
  await ended;
  await handle.close();
}
