/** An endpoint that transcribes each recording as `private words` with a number, and the server's setting for it. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Transcriber extends AsyncDisposable {
  readonly yaml: string;
  /** The number of recordings so far. */
  heard(): number;
  /** The newest request. */
  newest(): Buffer;
}

export async function openTranscriber(): Promise<Transcriber> {
  let count = 0;
  let newest = Buffer.alloc(0);
  const endpoint = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    newest = Buffer.concat(parts);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ text: `private words ${++count}` }));
  });
  await new Promise<void>((resolve) => endpoint.listen(0, "127.0.0.1", resolve));
  const port = (endpoint.address() as AddressInfo).port;
  return {
    yaml: `live: { transcriber: { url: "http://127.0.0.1:${port}/v1", model: whisper } }\n`,
    heard: () => count,
    newest: () => newest,
    [Symbol.asyncDispose]: async () => {
      endpoint.closeAllConnections();
      await new Promise((resolve) => endpoint.close(resolve));
    },
  };
}
