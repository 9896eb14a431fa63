/** The body of a request is counted against its token: by its declared length at once, otherwise while it arrives. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Reception } from "../context/index.ts";

/**
 * The request to read. A body of unknown length is not read faster than its token may send. Errors: those of
 * `reception`, also while the body is read.
 */
export function received(request: Request, reception: Reception): Request {
  const { url, method, headers, signal } = request;
  const length = headers.get("content-length");
  if (length !== null) reception.begin(Number(length));
  // Without this header there is no body; `body` is not accessed then, because that would create a stream.
  if (headers.get("transfer-encoding") === null || request.body === null) return request;
  reception.begin(0);
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform: async (chunk, controller) => {
      const waitMs = reception.takeChunk(chunk.length);
      controller.enqueue(chunk);
      if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    },
  });
  return new Request(url, {
    method,
    headers,
    signal,
    body: request.body.pipeThrough(counted),
    duplex: "half",
  });
}
