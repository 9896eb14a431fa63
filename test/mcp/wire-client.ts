/** Exchanges lines of JSON with an MCP server without any library, so that the test sees the wire itself. */

import type { Readable, Writable } from "node:stream";

export interface Reply {
  readonly id: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it.
  readonly result?: any;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it.
  readonly error?: any;
}

export interface WireClient {
  request(method: string, params?: object): Promise<Reply>;
  notify(method: string, params?: object): void;
  send(line: string): void;
  /** Everything that was received, in order. */
  readonly received: readonly object[];
}

export function createWireClient(input: Writable, output: Readable): WireClient {
  const waiting = new Map<number, (reply: Reply) => void>();
  const received: object[] = [];
  let rest = "";
  output.setEncoding("utf8").on("data", (chunk: string) => {
    rest += chunk;
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const reply = JSON.parse(line) as Reply;
      received.push(reply);
      waiting.get(reply.id)?.(reply);
    }
  });
  let last = 0;
  const send = (line: string): void => void input.write(`${line}\n`);
  return {
    received,
    send,
    notify: (method, params) => send(JSON.stringify({ jsonrpc: "2.0", method, params })),
    request(method, params) {
      const id = ++last;
      const { promise, resolve } = Promise.withResolvers<Reply>();
      waiting.set(id, resolve);
      send(JSON.stringify({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) }));
      return promise;
    },
  };
}

/** The fields that every request of revision 2026-07-28 carries. */
export const ENVELOPE = {
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "wire-test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  },
} as const;
