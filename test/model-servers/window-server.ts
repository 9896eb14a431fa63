/** A server that reports the window of its model, as vLLM does, and forwards everything else to the scripted models. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface WindowServer {
  /** With `/v1` at the end. */
  readonly url: string;
  close(): void;
}

export async function startWindowServer(
  models: { readonly url: string },
  { model, tokens }: { readonly model: string; readonly tokens: number },
): Promise<WindowServer> {
  const proxy = createServer(async (request, response) => {
    if (request.url === "/v1/models") {
      response.end(JSON.stringify({ data: [{ id: model, max_model_len: tokens }] }));
      return;
    }
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Uint8Array>));
    const answer = await fetch(`${models.url}${request.url}`, { method: "POST", body });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/v1`,
    close: () => void proxy.close(),
  };
}
