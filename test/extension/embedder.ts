/**
 * An endpoint for embeddings that a test can hold: while the endpoint does not answer, the notes of a server wait, and
 * the server's unprocessed input grows.
 */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { NOTE_AGENT } from "./served.ts";

export interface HeldEmbedder extends AsyncDisposable {
  /** `continuo.yaml` with this embedder, and a note writer that notes each sentence. */
  readonly yaml: string;
  hold(): void;
  release(): void;
}

export async function openEmbedder(): Promise<HeldEmbedder> {
  let free = Promise.withResolvers<void>();
  free.resolve();
  let count = 0;
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += String(part);
    await free.promise;
    const { input } = JSON.parse(body) as { readonly input: readonly string[] };
    // No two texts get the same vector.
    const data = input.map((_, index) => ({ index, embedding: [Math.cos(++count), Math.sin(count)] }));
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ data }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    yaml: NOTE_AGENT.replace(
      "budget:",
      `embedder: { url: "http://127.0.0.1:${port}/v1", model: held, threshold: 1 }, budget:`,
    ),
    hold: () => {
      free = Promise.withResolvers<void>();
    },
    release: () => free.resolve(),
    [Symbol.asyncDispose]: async () => {
      free.resolve();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
